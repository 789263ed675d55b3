import { createHmac } from 'node:crypto';

import type { GivenDecision } from '../../core/channel.ts';
import type { DecidableRequest, Notification } from '../../core/notification.ts';
import { sameSecret } from '../../platform/crypto.ts';

export interface Button {
  readonly act: string;
  readonly label: string;
}

export const SEEN: Button = { act: 'seen', label: 'Seen' };
export const SNOOZE: Button = { act: 'snooze', label: 'Snooze 30 min' };
/** How long "Snooze" silences an alert, ms. */
export const SNOOZE_MS = 30 * 60_000;

/** Buttons of a request, and the text that a message with them has to show whole. */
export interface DecisionButtons {
  /** Null: the message shows no more than usual, because only Deny is offered. */
  readonly text: string | null;
  readonly buttons: readonly Button[];
}

const DENY: Button = { act: 'deny', label: 'Deny' };

interface ButtonRoom {
  readonly fits: (text: string) => boolean;
  /** Buttons for the options of a question, at most 10. */
  readonly mostOptions: number;
  /** Characters of a button that apps do not cut. */
  readonly longestOption: number;
}

/** The buttons for a request. Allow, and the options of a question, only where the message shows all of it. */
export function decisionButtons(
  { text, choices, asks }: DecidableRequest,
  { fits, mostOptions, longestOption }: ButtonRoom,
): DecisionButtons {
  const denyOnly = { text: null, buttons: choices.includes('deny') ? [DENY] : [] };
  const [asked, ...more] = asks;
  if (text === null || !fits(text) || more.length > 0) return denyOnly;
  if (asked === undefined) {
    const allow = { act: 'allow', label: 'Allow' };
    return choices.includes('allow') ? { text, buttons: [allow, DENY] } : denyOnly;
  }
  const { options, several } = asked;
  const areShort = options.every((label) => label.length <= longestOption && !label.includes('\n'));
  if (several || !areShort || options.length > mostOptions || !choices.includes('answer')) {
    return denyOnly;
  }
  const buttons = options.map((label, option) => ({ act: `option${option}`, label }));
  return { text, buttons: [...buttons, DENY] };
}

/** What reactions to a sent message need. */
export interface Reactable {
  readonly deliveryId: string;
  readonly request: DecidableRequest | null;
  /** Whether words answer it; otherwise they deny it. */
  readonly isAnswerable: boolean;
  /** Token with which a reply answers the session; null: it cannot be answered. */
  readonly replyUrl: string | null;
}

/** @param fits whether a message shows a text whole */
export function reactableOf(
  { deliveryId, decidable, replyLink }: Notification,
  fits: ButtonRoom['fits'],
): Reactable {
  const isWhole = typeof decidable?.text === 'string' && fits(decidable.text);
  const answers = decidable?.asks.length === 1 && decidable.choices.includes('answer');
  const replyUrl = replyLink?.url ?? null;
  return { deliveryId, request: decidable ?? null, isAnswerable: isWhole && answers, replyUrl };
}

/** The decision that words of a person mean. */
export function decisionByWords(
  { question, requestHash }: DecidableRequest,
  isAnswerable: boolean,
  words: string,
): GivenDecision {
  const choice = isAnswerable ? 'answer' : 'deny';
  return { question, requestHash, choice, option: null, words };
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

export interface Press {
  readonly deliveryId: string;
  readonly act: string;
}

const VALID_MS = 12 * 3_600_000;
const MINUTE_MS = 60_000;

/** Longer texts do not come from our buttons. */
const MAX_BODY = 128;

const pressForm =
  /^(seen|snooze|allow|deny|option\d)\.([0-9a-z]{1,8})\.(u[-\w]{22}|r[0-9a-zA-Z-]{1,64})\.([-\w]{22})$/;

/** Whether a press decides a request, for which more is required than for an alert. */
export function isDecision(act: string): boolean {
  return act !== 'seen' && act !== 'snooze';
}

/**
 * Signs and checks what buttons send: `ACT.EXPIRY.DELIVERY.MAC`, at most 64 bytes for a delivery whose id is a UUID, which is what
 * Telegram takes. Others may be able to send there as well, so only the signature shows that a press came from a notification of
 * this channel.
 *
 * @param key for alerts: the same after a restart, so that buttons outlive it
 * @param decisionKey for requests: only in the memory of this process, because a program that could read it, such as an agent,
 *   could allow its own requests
 */
export function createButtonSigner(key: string, decisionKey: string, now: () => number) {
  const used = new Map<string, number>();
  const macOf = (text: string, act: string): string => {
    const mac = createHmac('sha256', isDecision(act) ? decisionKey : key).update(text);
    return mac.digest('base64url').slice(0, 22);
  };

  return {
    sign({ deliveryId, act }: Press): string {
      const expiry = Math.floor((now() + VALID_MS) / MINUTE_MS).toString(36);
      const text = `${act}.${expiry}.${packed(deliveryId)}`;
      return `${text}.${macOf(text, act)}`;
    },

    /** The press that a text stands for; null for any other text, and for one that expired or was taken before. */
    take(body: string): Press | null {
      const [, act, expiry = '', id = '', mac = ''] =
        (body.length <= MAX_BODY && pressForm.exec(body)) || [];
      if (act === undefined) return null;
      if (!sameSecret(mac, macOf(body.slice(0, -mac.length - 1), act))) return null;
      const at = now();
      const expiresAt = Number.parseInt(expiry, 36) * MINUTE_MS;
      if (expiresAt < at || used.has(mac)) return null;
      for (const [old, until] of used) if (until < at) used.delete(old);
      used.set(mac, expiresAt);
      return { deliveryId: unpacked(id), act };
    },
  };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An id in as few characters as possible: "u" and the bytes of a UUID, or "r" and any other id unchanged. */
function packed(id: string): string {
  if (!uuid.test(id)) return `r${id}`;
  return `u${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')}`;
}

function unpacked(text: string): string {
  if (text.startsWith('r')) return text.slice(1);
  const hex = Buffer.from(text.slice(1), 'base64url').toString('hex');
  const ends = [8, 12, 16, 20, 32];
  return ends.map((end, index) => hex.slice(ends[index - 1] ?? 0, end)).join('-');
}
