import { createHmac } from 'node:crypto';

import type { GivenDecision } from '../../core/channel.ts';
import type { DecidableRequest } from '../../core/notification.ts';
import { sameSecret } from '../../platform/crypto.ts';

/** A button: its name in a press, and what it shows. */
export interface Button {
  readonly act: string;
  readonly label: string;
}

/** Buttons of a request, and the text that a message with them has to show whole. */
export interface DecisionButtons {
  /** Null: the message shows no more than usual, because only Deny is offered. */
  readonly text: string | null;
  readonly buttons: readonly Button[];
}

const DENY: Button = { act: 'deny', label: 'Deny' };

/** Beside Deny, of the three buttons that ntfy shows. */
const MOST_OPTIONS = 2;
/** The app cuts longer labels. */
const LONGEST_OPTION = 30;

/**
 * The buttons for a request. Allow, and the options of a question, only where the message shows all of it.
 *
 * @param fits whether a message shows a text whole
 */
export function decisionButtons(
  { text, choices, asks }: DecidableRequest,
  fits: (text: string) => boolean,
): DecisionButtons {
  const denyOnly = { text: null, buttons: choices.includes('deny') ? [DENY] : [] };
  const [asked, ...more] = asks;
  if (text === null || !fits(text) || more.length > 0) return denyOnly;
  if (asked === undefined) {
    const allow = { act: 'allow', label: 'Allow' };
    return choices.includes('allow') ? { text, buttons: [allow, DENY] } : denyOnly;
  }
  const { options, several } = asked;
  const areShort = options.every(
    (label) => label.length <= LONGEST_OPTION && !label.includes('\n'),
  );
  if (several || !areShort || options.length > MOST_OPTIONS || !choices.includes('answer')) {
    return denyOnly;
  }
  const buttons = options.map((label, option) => ({ act: `option${option}`, label }));
  return { text, buttons: [...buttons, DENY] };
}

/** The decision that a press means. */
export function decisionOf(
  { question, requestHash }: Pick<DecidableRequest, 'question' | 'requestHash'>,
  act: string,
): GivenDecision {
  const option = act.startsWith('option') ? Number(act.slice('option'.length)) : null;
  const choice = option === null ? (act === 'allow' ? 'allow' : 'deny') : 'answer';
  return { question, requestHash, choice, option, words: null };
}

/** A press of a button, checked. */
export interface Press {
  readonly deliveryId: string;
  readonly act: string;
}

/** Validity of a button, ms. */
const VALID_MS = 12 * 3_600_000;

/** Longer messages in the answer topic are none of ours. */
const MAX_BODY = 512;

const pressForm =
  /^hookbell1 ([0-9a-zA-Z-]{1,64}) (seen|snooze|allow|deny|option\d) (\d{1,16}) ([0-9a-f]{32})$/;

/** Whether a press decides a request, for which more is required than for an alert. */
export function isDecision(act: string): boolean {
  return act !== 'seen' && act !== 'snooze';
}

/**
 * Signs and checks the bodies that buttons publish: `hookbell1 DELIVERY ACT EXPIRY MAC`. Everyone who may write to the topic
 * can publish there, so only the signature shows that a body came from a notification of this channel.
 *
 * @param key for alerts: the same after a restart, so that buttons outlive it
 * @param decisionKey for requests: only in the memory of this process, because a program that could read it, such as an agent,
 *   could allow its own requests
 */
export function createButtonSigner(key: string, decisionKey: string, now: () => number) {
  const used = new Map<string, number>();
  const macOf = (text: string, act: string): string =>
    createHmac('sha256', isDecision(act) ? decisionKey : key)
      .update(text)
      .digest('hex')
      .slice(0, 32);

  return {
    /** The body of a button. */
    sign({ deliveryId, act }: Press): string {
      const text = `hookbell1 ${deliveryId} ${act} ${now() + VALID_MS}`;
      return `${text} ${macOf(text, act)}`;
    },

    /** The press that a body stands for; null for any other text, and for one that expired or was taken before. */
    take(body: string): Press | null {
      const [, deliveryId, act, expiry, mac = ''] =
        (body.length <= MAX_BODY && pressForm.exec(body)) || [];
      if (deliveryId === undefined || act === undefined) return null;
      if (!sameSecret(mac, macOf(body.slice(0, -mac.length - 1), act))) return null;
      const at = now();
      const expiresAt = Number(expiry);
      if (expiresAt < at || used.has(mac)) return null;
      for (const [old, until] of used) if (until < at) used.delete(old);
      used.set(mac, expiresAt);
      return { deliveryId, act };
    },
  };
}
