import { isWaiting } from '../../core/hook-event.ts';
import { usedCreditsText } from '../../core/looked-up.ts';
import { type Notification, originText } from '../../core/notification.ts';
import type { JsonObject } from '../../platform/json.ts';
import { durationText } from '../../text/duration.ts';
import { escapeAngles } from '../../text/escape.ts';
import { cutEscaped } from '../../text/sanitize.ts';
import type { Button } from '../support/signed-buttons.ts';
import { renderMessage } from './slack-message.ts';

/** Limits of a button and of the texts around it (https://docs.slack.dev/reference/block-kit/block-elements/button-element). */
const LABEL_MAX = 75;
const SECTION_MAX = 3_000;
const HEADER_MAX = 150;
const FACT_MAX = 150;

/** Whether one section shows a text whole. */
export function fitsSection(text: string): boolean {
  return escapeAngles(text).length <= SECTION_MAX;
}

/** Room for buttons: more than ten options are hard to read, and long ones are cut on a phone. */
export const ROOM = { fits: fitsSection, mostOptions: 10, longestOption: LABEL_MAX };

export const DENY_WITH_WORDS: Button = { act: 'words', label: 'Deny with words…' };
export const ANSWER_WITH_WORDS: Button = { act: 'words', label: 'Answer…' };
export const MUTE: Button = { act: 'mute', label: 'Mute 1 h' };
export const MUTE_MS = 3_600_000;

const styles: Readonly<Record<string, string>> = { allow: 'primary', deny: 'danger' };

const plain = (text: string): JsonObject => ({ type: 'plain_text', text, emoji: false });

/** Parameters of `chat.postMessage` and `chat.update`. @param request replaces the body, because all is decided; or null */
export function slackPost(
  notification: Notification,
  {
    request,
    buttons,
    mention,
  }: { request: string | null; buttons: readonly Button[]; mention: string | null },
): JsonObject {
  const { markdown: _, details: __, ...rest } = notification;
  const shown = request === null ? notification : { ...rest, body: request };
  const { blocks = [], ...message } = renderMessage(shown, mention);
  const elements = buttons.map(({ act, label }) => ({
    type: 'button',
    action_id: act,
    text: plain(cutEscaped(label, LABEL_MAX, escapeAngles)),
    ...(styles[act] !== undefined && { style: styles[act] }),
  }));
  const actions = elements.length === 0 ? [] : [{ type: 'actions', elements }];
  return { ...message, blocks: [...blocks, ...actions] };
}

export interface ShownState {
  readonly word: string;
  readonly emoji: string;
  readonly since: number;
}

/** The state that a notification stands for. */
export function stateOf({ kind, at }: Pick<Notification, 'kind' | 'at'>): ShownState {
  if (kind === 'turn.failed') return { word: 'Failed', emoji: '🔴', since: at };
  if (isWaiting(kind)) return { word: 'Waiting for you', emoji: '🟡', since: at };
  return { word: 'Done', emoji: '🟢', since: at };
}

/** After the alert of a notification was acknowledged: the agent still waits. */
export function seenState(notification: Pick<Notification, 'kind' | 'at'>): ShownState {
  const state = stateOf(notification);
  return isWaiting(notification.kind) ? { ...state, word: 'Waiting, seen' } : state;
}

/** After a notification was answered or withdrawn. */
export function stateAfter(since: number): ShownState {
  return { word: 'Working', emoji: '🔵', since };
}

/** The first message of a session's thread (https://docs.slack.dev/messaging/formatting-message-text#date-formatting). */
export function rootMessage(notification: Notification, state: ShownState): JsonObject {
  const { project, sessionTitle, sessionId, agent, origin, computer } = notification;
  const { activeMs, credits } = notification;
  const name = [project, sessionTitle ?? sessionId].filter((part) => part !== null).join(' · ');
  const title = cutEscaped(`${state.emoji} ${name || agent}`, HEADER_MAX, escapeAngles);
  const seconds = Math.floor(state.since / 1_000);
  const fallback = new Date(state.since).toISOString().slice(0, 16).replace('T', ' ');
  const facts = [
    agent,
    originText(origin),
    computer === origin.host ? null : computer,
    activeMs === null ? null : `at work ${durationText(activeMs)}`,
    credits === null ? null : usedCreditsText(credits),
  ].filter((fact): fact is string => fact !== null && /\S/.test(fact));
  return {
    text: `${title}: ${state.word}`,
    blocks: [
      { type: 'header', text: plain(title) },
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: `*${state.word}* since <!date^${seconds}^{date_short_pretty} {time}|${fallback} UTC>`,
          verbatim: true,
        },
      },
      {
        type: 'context',
        elements: facts.map((fact) => plain(cutEscaped(fact, FACT_MAX, escapeAngles))),
      },
    ],
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** The window in which a person types (https://docs.slack.dev/reference/views/modal-views). */
export function wordsView(kind: 'deny' | 'answer', message: string): JsonObject {
  const title = kind === 'deny' ? 'Deny with words' : 'Answer';
  const name = { type: 'plain_text_input', action_id: 'words' };
  const element = { ...name, multiline: true, max_length: 3_000 };
  return {
    type: 'modal',
    callback_id: 'words',
    private_metadata: message,
    title: plain(title),
    submit: plain(kind === 'deny' ? 'Deny' : 'Send'),
    close: plain('Cancel'),
    blocks: [
      {
        type: 'input',
        block_id: 'words',
        label: plain(kind === 'deny' ? 'What the agent should do instead' : 'Your answer'),
        element,
      },
    ],
  };
}

/** Everything that a message shows or a button of it sends, in order: equal if and only if nothing was changed. */
export function textsIn(value: unknown): string {
  const found: string[] = [];
  const collect = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(collect);
    else if (typeof part === 'object' && part !== null) {
      const entries = Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1));
      for (const [key, inner] of entries) {
        if (typeof inner !== 'string') collect(inner);
        else if (['text', 'action_id', 'value', 'url'].includes(key)) found.push(`${key}:${inner}`);
      }
    }
  };
  collect(value);
  return found.join('\n');
}
