import { COMPARED_DAYS, reliability, sumBy } from '../reliability.ts';
import { type Check, defineGuide } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const witnessGuide = defineGuide('waits without a hook', {
  most: {
    state: 'warning',
    remedy:
      'Run "hookbell doctor --canary", which runs the hooks of each agent. Surfaces of an agent that run no hooks stay as they are',
  },
});

const DAY_MS = 86_400_000;

/** Compares hooks and records of each agent. */
export async function checkWitness({ ask, now }: DoctorPorts): Promise<Check> {
  const since = String(now() - COMPARED_DAYS * DAY_MS);
  const seen = await ask('GET /v1/waits-seen', { query: { since } });
  const agents = [...new Set(seen.map(({ agent }) => agent))];
  if (agents.length === 0) return witnessGuide.ok(`no wait in ${COMPARED_DAYS} days`);
  const byAgent = agents.map((agent) => seen.filter((one) => one.agent === agent));
  const summary = byAgent.map(reliability).join('. ');
  const isMost = byAgent.some((own) => sumBy(own, 'record') > sumBy(own, 'hook'));
  return isMost ? witnessGuide.found('most', summary) : witnessGuide.ok(summary);
}
