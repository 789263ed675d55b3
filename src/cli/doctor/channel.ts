import type { ChannelCheckView, ChannelStateView } from '../../core/control.ts';
import type { Check } from './check.ts';
import { ok, problem, warning } from './check.ts';

/** Whether a channel would work, by its own look and by what came of the last messages. */
export function checkChannel(
  { channel, type, ok: works, summary, hint }: ChannelCheckView,
  current: ChannelStateView | null,
): Check {
  const name = `channel ${channel}`;
  const next = hint ?? `Run "hookbell test ${channel}"`;
  if (!works) return problem(name, `${type}: ${summary}`, next);
  const reason = current?.lastReason ?? 'no reason given';
  switch (current?.state) {
    case 'broken':
      return problem(name, `${type}: cannot be used: ${reason}`, next);
    case 'open':
      return problem(name, `${type}: paused after failures: ${reason}`, next);
    case 'limited':
      return warning(name, `${type}: has to wait: ${reason}`, null);
    case 'ok':
    case undefined:
      if (current === null || current.lastOutcome === null || current.lastOutcome === 'delivered') {
        return ok(name, `${type}: ${summary}`);
      }
      return warning(name, `${type}: the last message was not delivered: ${reason}`, next);
  }
}
