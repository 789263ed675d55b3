/** The stages an event passes on its way, in order, and the parts of the rim that may stop it later. */
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

/** `pass`: goes on to the next stage. `stop`: nobody is told. `notify`: channels are told. `note`: a side effect. */
export const verdicts = ['pass', 'stop', 'notify', 'note'] as const;
export type Verdict = (typeof verdicts)[number];

/** The recorded reason why a stage let an event through or stopped it. `reason` is a sentence for people. */
export interface Decision {
  readonly stage: Stage;
  readonly verdict: Verdict;
  readonly reason: string;
}
