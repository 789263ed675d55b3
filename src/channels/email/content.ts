import type { Notification } from '../../core/notification.ts';
import { bodyWithoutDetails, originText } from '../../core/notification.ts';
import { cutText, displayLine, displayText } from '../../core/sanitize.ts';
import { replyLinkHint } from '../../core/reply-link.ts';
import { creditsText } from '../../core/credits-text.ts';
import { durationText } from '../../core/duration-text.ts';
import type { Tone } from '../../core/tone.ts';
import { toneOf } from '../../core/tone.ts';

/** What a mail says, in plain text pieces; the text part and the HTML part are laid out from the same ones. */
export interface MailContent {
  readonly tone: Tone;
  /** The tone in words, so that colour is never the only sign. */
  readonly label: string;
  readonly title: string;
  readonly body: string;
  /** The body in Markdown; null: it is plain text. */
  readonly markdown: string | null;
  /** Label and value of what else is known. */
  readonly facts: readonly (readonly [string, string])[];
  /** Where the session can be answered, and what to know about it. */
  readonly reply: { readonly url: string; readonly hint: string } | null;
  /** Remarks below everything. */
  readonly remarks: readonly string[];
}

const labels: Readonly<Record<Tone, string>> = {
  permission: 'Needs your permission',
  question: 'Waits for your answer',
  failed: 'Something failed',
  done: 'Finished',
  info: 'Good to know',
  test: 'Test',
};

const BODY_MAX = 10_000;
const REMARK = 'Sent by hookbell. An answer to this mail does not reach the agent.';
const DUPLICATE =
  'You may have this message already: it could not be told whether an earlier attempt arrived.';

/** Collects the content. Lines are cleaned again, because a line feed in a subject would begin a header. */
export function contentOf(notification: Notification): MailContent {
  const { title, project, sessionTitle, sessionId } = notification;
  const tone = toneOf(notification);
  const { computer, durationMs, activeMs, credits } = notification;
  const facts: (readonly [string, string | null])[] = [
    ['Project', project],
    ['Session', sessionTitle ?? sessionId],
    ['Computer', computer === notification.origin.host ? null : computer],
    ['Agent', notification.agent === 'unknown' ? null : notification.agent],
    ['From', originText(notification.origin)],
    ['Took', durationMs === null ? null : durationText(durationMs)],
    ['At work', activeMs === null ? null : durationText(activeMs)],
    ['Credits', credits === null ? null : creditsText(credits)],
    ['When', timeText(notification.at)],
  ];
  return {
    tone,
    label: labels[tone],
    title: cutText(displayLine(title), 500),
    body: cutText(displayText(bodyWithoutDetails(notification)), BODY_MAX),
    markdown:
      notification.markdown === undefined
        ? null
        : cutText(displayText(notification.markdown), BODY_MAX),
    facts: facts.flatMap(([label, value]) =>
      value === null ? [] : [[label, cutText(displayLine(value), 200)] as const],
    ),
    reply: replyOf(notification),
    remarks: notification.possibleDuplicate ? [DUPLICATE, REMARK] : [REMARK],
  };
}

function replyOf({ replyLink }: Notification): MailContent['reply'] {
  if (replyLink === undefined) return null;
  const { url, machine, forMs } = replyLink;
  return { url, hint: replyLinkHint(machine, forMs) };
}

function timeText(at: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' }).format(at);
}

/** The text part. */
export function plainText({ title, body, facts, reply, remarks }: MailContent): string {
  const details = facts.map(([label, value]) => `${label}: ${value}`);
  const answer = reply === null ? [] : [`Answer the agent: ${reply.url}\n${reply.hint}`];
  return [title, body, ...answer, details.join('\n'), remarks.join('\n')].join('\n\n');
}
