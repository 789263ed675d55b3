import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';

/** Says what the event was taken for, and stops one that came in twice. */
export function classify(event: HookEvent, duplicateOf: string | null): Decision {
  if (duplicateOf !== null) {
    return {
      stage: 'classify',
      verdict: 'stop',
      reason: `Same event as ${duplicateOf}: it was handed in twice, as when a hook is registered in two places`,
    };
  }
  const type = event.notificationType === null ? '' : ` (${event.notificationType})`;
  const inside = event.subagent ? ', inside a subagent' : '';
  const background = event.backgroundWork ? ', with work left in the background: not done yet' : '';
  return {
    stage: 'classify',
    verdict: 'pass',
    reason: `${event.agent} "${event.event}"${type} means ${event.kind}${inside}${background}`,
  };
}
