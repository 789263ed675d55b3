import type { StatusView } from '../../core/control.ts';
import type { Check } from './check.ts';
import { ok, warning } from './check.ts';

const name = 'deliveries';

/** Messages that were given up. */
export function checkDeliveries({ deliveries }: StatusView): Check {
  const { dead, pending, sent } = deliveries;
  if (dead === 0) return ok(name, `${sent} sent, ${pending} on their way, none given up`);
  return warning(
    name,
    `${dead} given up`,
    'Run "hookbell queue --state dead" to see why, then "hookbell queue retry --all" or "drop"',
  );
}
