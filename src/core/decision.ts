/** The stages of an event, in order, and the later steps that may stop it. */
export const stages = [
  'classify',
  'repeat',
  'track',
  'resolve',
  'relay',
  'route',
  'mute',
  'throttle',
  'plan',
  'delivery',
] as const;
export type Stage = (typeof stages)[number];

/**
 * `pass`: continues with the next stage. `stop`: no channel is notified. `notify`: channels are notified. `note`: a
 * side effect.
 */
export const verdicts = ['pass', 'stop', 'notify', 'note'] as const;
export type Verdict = (typeof verdicts)[number];

/** The recorded reason why a stage let an event through or stopped it. `reason` is a sentence for people. */
export interface Decision {
  readonly stage: Stage;
  readonly verdict: Verdict;
  readonly reason: string;
}

/** Why the events before an event made it old news; null if they did not. */
export function whyNoNews({
  kind,
  decisions,
}: {
  readonly kind: string;
  readonly decisions: readonly { readonly reason: string }[];
}): string | null {
  const taken = 'Taken for activity: ';
  const found = decisions.find(({ reason }) => kind === 'activity' && reason.startsWith(taken));
  return found?.reason.slice(taken.length) ?? null;
}
