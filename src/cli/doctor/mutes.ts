import type { StatusView } from '../../control/contract.ts';
import { muteNotice } from '../short-id.ts';
import { type Check, type CheckGuide, found, ok } from './check.ts';

export const mutesGuide = {
  name: 'mutes',
  about: 'Whether something is muted now',
  troubles: {
    muted: {
      state: 'warning',
      meaning:
        'Muted notifications are held until the mute ends; those still unanswered are sent then',
      remedy: 'Run "hookbell mute off"',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = mutesGuide;

/** A forgotten mute looks like a broken channel. */
export function checkMutes({ mutes }: Pick<StatusView, 'mutes'>, now: number): Check {
  const notice = muteNotice(mutes, now);
  return notice === null ? ok(name, 'nothing is muted') : found(name, troubles.muted, notice);
}
