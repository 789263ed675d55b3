import { dialects } from '../agents/registry.ts';
import type { WaitsSeen } from '../core/history.ts';
import { countOf } from '../text/count.ts';
import { cutText, displayLine } from '../text/sanitize.ts';

/** How far back hooks and records are compared. */
export const COMPARED_DAYS = 30;

/**
 * How the waits of one agent were seen, by its version: "Claude Code 2.1.332: 41 waits, 3 without a hook (2 in claude-vscode,
 * 1 in cli), known after 0.1 s by a hook and 0.9 s without; 1 hook came late".
 *
 * @param seen of one agent
 */
export function reliability(seen: readonly WaitsSeen[]): string {
  const agent = seen[0]?.agent ?? 'unknown';
  const label = agent === 'service' ? agent : dialects[agent].name;
  const versions = [...new Set(seen.flatMap(({ version }) => version ?? []))];
  const unshown = seen.filter(({ version }) => version === null);
  const late = sumBy(unshown, 'late');
  const alone = sumBy(unshown, 'hook');
  const parts = versions.map((version) => {
    const own = seen.filter((one) => one.version === version);
    const silent = own.filter(({ by }) => by === 'record');
    const where = silent.map(({ count, surface }) => `${count} in ${clean(surface)}`).join(', ');
    const waits = countOf(sumBy(own, 'hook') + sumBy(own, 'record'), 'wait');
    const without = `${sumBy(own, 'record') || 'none'} without a hook`;
    return `${clean(version)}: ${waits}, ${without}${where === '' ? '' : ` (${where})`}${afterText(own)}`;
  });
  if (parts.length === 0) return `${label}: ${countOf(alone, 'wait')}, all by hooks`;
  if (late > 0) parts.push(`${countOf(late, 'hook')} came late`);
  if (alone > 0) parts.push(`${countOf(alone, 'wait')} by a hook alone`);
  return `${label} ${parts.join('; ')}`;
}

export function sumBy(seen: readonly WaitsSeen[], by: WaitsSeen['by']): number {
  return seen.filter((one) => one.by === by).reduce((sum, { count }) => sum + count, 0);
}

/** The median of the largest group stands for all. */
function afterText(seen: readonly WaitsSeen[]): string {
  const [hook, record] = (['hook', 'record'] as const).map((by) => {
    const ms = seen.find((one) => one.by === by)?.afterMs ?? null;
    return ms === null ? null : `${(ms / 1_000).toFixed(1)} s`;
  });
  const parts = [
    hook == null ? [] : `${hook} by a hook`,
    record == null ? [] : `${record} without`,
  ];
  return parts.flat().length === 0 ? '' : `, known after ${parts.flat().join(' and ')}`;
}

function clean(text: string | null): string {
  return text === null ? 'an unknown place' : cutText(displayLine(text), 40);
}
