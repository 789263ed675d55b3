import { dialects } from '../../agents/registry.ts';
import type { WaitsSeen } from '../../core/history.ts';
import { countOf } from '../../text/count.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import { type Check, defineGuide } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const witnessGuide = defineGuide('waits without a hook', {
  most: {
    state: 'warning',
    remedy:
      'Run "hookbell doctor --canary", which runs the hooks of each agent. Surfaces of an agent that run no hooks stay as they are',
  },
});

const DAYS = 30;
const DAY_MS = 86_400_000;
const MOST_SHOWN = 4;

/** "Claude Code: 41 waits, 3 without a hook (2 with 2.1.332 in claude-vscode, 1 with 2.1.332 in cli)" */
export async function checkWitness({ ask, now }: Pick<DoctorPorts, 'ask' | 'now'>): Promise<Check> {
  const since = String(now() - DAYS * DAY_MS);
  const seen = await ask('GET /v1/waits-seen', { query: { since } });
  const agents = [...new Set(seen.map(({ agent }) => agent))];
  if (agents.length === 0) return witnessGuide.ok(`no wait in ${DAYS} days`);
  const byAgent = agents.map((agent) => seen.filter((one) => one.agent === agent));
  const summary = byAgent.map(reliability).join('; ');
  const isMost = byAgent.some((own) => countBy(own, 'record') > countBy(own, 'hook'));
  return isMost ? witnessGuide.found('most', summary) : witnessGuide.ok(summary);
}

/** @param seen of one agent */
function reliability(seen: readonly WaitsSeen[]): string {
  const [silent, late] = [countBy(seen, 'record'), countBy(seen, 'late')];
  const agent = seen[0]?.agent ?? 'unknown';
  const label = agent === 'service' ? agent : dialects[agent].name;
  const waits = countOf(silent + countBy(seen, 'hook'), 'wait');
  const where = seen
    .filter(({ by }) => by === 'record')
    .slice(0, MOST_SHOWN)
    .map(({ count, version, surface }) => `${count} with ${clean(version)} in ${clean(surface)}`);
  return [
    `${label}: ${waits}, ${silent === 0 ? 'none' : silent} without a hook`,
    where.length === 0 ? '' : ` (${where.join(', ')})`,
    late === 0 ? '' : `, ${late} with a late one`,
  ].join('');
}

function countBy(seen: readonly WaitsSeen[], by: WaitsSeen['by']): number {
  return seen.filter((one) => one.by === by).reduce((sum, { count }) => sum + count, 0);
}

function clean(text: string | null): string {
  return text === null ? 'an unknown one' : cutText(displayLine(text), 40);
}
