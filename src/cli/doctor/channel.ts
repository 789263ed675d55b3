import type { ChannelCheckView, ChannelStateView } from '../../control/contract.ts';
import { HookbellError } from '../../platform/errors.ts';
import { type Check, defineGuide, orTrouble } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const presenceGuide = defineGuide('presence', {});

/** How the daemon detects presence. None has to work: if presence cannot be detected, the user is notified. */
export async function checkPresence({ ask }: DoctorPorts): Promise<Check> {
  const sources = await orTrouble(ask('GET /v1/presence'));
  if (sources instanceof HookbellError) return presenceGuide.skipped(sources.message);
  const words = sources.map(
    ({ source, detail }) => `${source}: ${detail ?? 'cannot be detected here'}`,
  );
  return presenceGuide.ok(words.join('; '));
}

const again = 'Run "hookbell test {channel}"';

export const channelGuide = defineGuide('channel NAME', {
  unfit: { state: 'problem', remedy: again },
  broken: { state: 'problem', remedy: again },
  open: { state: 'problem', remedy: again },
  limited: { state: 'warning', remedy: null },
  undelivered: { state: 'warning', remedy: again },
  unasked: { state: 'problem', remedy: null },
});

/** Checks that a channel works, by its own check and by its last deliveries. */
export function checkChannel(
  { channel, type, ok: works, summary, hint, can, cannot }: ChannelCheckView,
  current: ChannelStateView | null,
): Check {
  const guide = channelGuide.named(`channel ${channel}`);
  const report = (trouble: keyof typeof guide.troubles, outcome: string): Check =>
    guide.found(trouble, `${type}: ${outcome}`, { channel }, hint);
  if (!works) return report('unfit', summary);
  const reason = current?.lastReason ?? 'no reason given';
  const { state = 'ok', lastOutcome = null } = current ?? {};
  if (state === 'broken') return report('broken', `cannot be used: ${reason}`);
  if (state === 'open') return report('open', `paused after failures: ${reason}`);
  if (state === 'limited') return report('limited', `has to wait: ${reason}`);
  if (lastOutcome !== null && lastOutcome !== 'delivered') {
    return report('undelivered', `the last message was not delivered: ${reason}`);
  }
  const abilities = [
    ...(can === '' ? [] : [`can ${can}`]),
    ...(cannot === '' ? [] : [`cannot ${cannot}`]),
  ];
  return guide.ok([`${type}: ${summary}`, ...abilities].join('; '));
}
