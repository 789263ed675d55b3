import type { MachinePolicy } from '../core/hub/machine-policy.ts';

/** What it forbids, such as "first line of texts, no secrets, only desktop"; for people. */
export function policyText(policy: MachinePolicy): string {
  const { text = 'full', redact, channels, hubOnly = [] } = policy;
  const parts = [
    { full: [], summary: ['only the first line of texts'], none: ['no text from agents'] }[text],
    redact === true ? ['no secrets'] : [],
    channels === undefined ? [] : [`only ${namesOf(channels)}`],
    hubOnly.length === 0 ? [] : [`${hubOnly.join(', ')} only by the hub`],
  ].flat();
  return parts.length === 0 ? 'forbids nothing' : parts.join(', ');
}

function namesOf(channels: readonly string[]): string {
  return channels.length === 0 ? 'the inbox' : `channels of type ${channels.join(', ')}`;
}
