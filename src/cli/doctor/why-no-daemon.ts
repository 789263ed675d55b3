import { readdirSync } from 'node:fs';

import type { Paths } from '../../core/paths.ts';
import { readLastWords } from '../../control/last-words.ts';
import { readStopOrder, type StopOrder } from '../../control/stop-order.ts';
import { isoTime } from '../../platform/time.ts';
import { ageText } from '../../text/duration.ts';
import { localTimeText } from '../time-text.ts';

/** Why no daemon runs, as a clause, and what follows from it. */
export function whyNoDaemon(
  paths: Pick<Paths, 'stopped' | 'lastWords' | 'spool'>,
  now: number,
): string {
  const count = spooled(paths.spool);
  const waiting = `${count === 1 ? '1 event waits' : `${count} events wait`}, and no one is notified`;
  const order = readStopOrder(paths, now);
  if (order !== null) {
    const at = localTimeText(isoTime(order.at), now);
    const since = `${ageText(now - order.at)} ago (${at})`;
    return `${order.by} stopped it ${since} ${holdsText(order, now)}; ${waiting}`;
  }
  const words = readLastWords(paths);
  if (words === null) return count === 0 ? 'it is not running' : `it is not running; ${waiting}`;
  return `it ended ${ageText(now - words.at)} ago with "${words.text}"; ${waiting}`;
}

/** Until when a stop holds: "until ...". */
export function holdsText(
  { until, endsAtLogin }: Pick<StopOrder, 'until' | 'endsAtLogin'>,
  now: number,
): string {
  if (until !== null) return `until ${localTimeText(isoTime(until), now)} or "hookbell start"`;
  return endsAtLogin ? 'until the next log-in or "hookbell start"' : 'until "hookbell start"';
}

function spooled(spool: string): number {
  try {
    return readdirSync(spool).length;
  } catch {
    return 0;
  }
}
