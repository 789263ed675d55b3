import { askedMarkdown, askedText } from '../core/asked.ts';
import type { Delivery } from '../core/delivery.ts';
import type { HookEvent, Kind } from '../core/hook-event.ts';
import { escapeMarkdown } from '../text/markdown.ts';
import {
  type BodyDetail,
  type Notification,
  type Origin,
  severityOf,
  turnLengthText,
} from '../core/notification.ts';
import { type Redact, redactText } from '../text/redact.ts';
import { cutText, displayLine, displayText } from '../text/sanitize.ts';
import type { Session, UsageLimit } from '../core/session.ts';
import { dayAndTime, localTimezone } from '../platform/time.ts';
import type { WholeDelivery, Withdrawal } from '../core/outbox.ts';
import {
  afterLimit,
  belowHeadline,
  byUrgency,
  defaultMessage,
  details,
  type Facts,
  hasOwnHeadline,
  headline,
  reasonLine,
  summarize,
  type Texts,
} from './sentences.ts';
import {
  endedTurn,
  fillTidily,
  reportedCredits,
  type Values,
  type Words,
  wordsOf,
} from './words.ts';
import type { HistoryEntry } from '../core/history.ts';

export type { Texts } from './sentences.ts';

/** Texts by kind with `{placeholders}` (text/template.ts); "default" is for all kinds without a separate text. */
export interface Templates {
  readonly title: Readonly<Partial<Record<Kind | 'default', string>>>;
  readonly body: Readonly<Partial<Record<Kind | 'default', string>>>;
}

export interface RendererOptions {
  readonly templates?: Templates;
  readonly redactFor?: (channel: string | null) => Redact;
  /** How much of the agent's text this channel shows; null: the local terminal. */
  readonly detailOf?: (channel: string | null) => BodyDetail;
  /** Label of the project in this directory; null: the name of the directory. */
  readonly labelOf?: ((directory: string | null) => string | null) | undefined;
  readonly origin?: Origin;
}

export type Renderer = ReturnType<typeof createRenderer>;

/** Total: whatever an agent sent and a template produces, the title and the body are clean and not empty. */
export function createRenderer({
  templates = { title: {}, body: {} },
  redactFor = () => redactText,
  detailOf = () => 'full',
  labelOf = () => null,
  origin = { user: null, host: 'localhost' },
}: RendererOptions = {}) {
  function wordsFor(channel: string | null, event: HookEvent, session: Session | null): Words {
    const withText = detailOf(channel) !== 'none';
    return wordsOf(event, session, { redact: redactFor(channel), labelOf, withText });
  }

  function textsFor(channel: string | null, event: HookEvent, session: Session | null): Texts {
    const words = wordsFor(channel, event, session);
    return textsOf(event, { session, words, templates, stillRunning: false });
  }

  function messageOf(delivery: Delivery, event: HookEvent, session: Session | null): Notification {
    const words = wordsFor(delivery.channel, event, session);
    const { recipient } = delivery;
    const escalation = delivery.step + delivery.repetition;
    return {
      deliveryId: delivery.id,
      eventId: event.id,
      ...(delivery.alertId !== null && { alertId: delivery.alertId }),
      groupKey: event.sessionKey,
      at: event.at,
      agent: event.agent,
      event: words.event,
      kind: event.kind,
      severity: severityOf(event),
      sessionId: words.sessionId,
      sessionTitle: words.sessionTitle,
      computer: words.computer,
      activeMs: session?.lookedUp?.activeMs ?? null,
      credits: session?.lookedUp ? reportedCredits(session.lookedUp, event) : null,
      origin: event.machine === null ? origin : { user: null, host: event.machine },
      project: words.project,
      asked: words.asked,
      ...textsOf(event, { session, words, templates, stillRunning: delivery.stillRunning }),
      durationMs: endedTurn(event, session)?.lastTurnMs ?? null,
      ...(escalation > 0 && { escalation }),
      // A personal channel keeps a thread with each person.
      ...(recipient !== null && {
        recipient: { type: 'found', address: recipient, isOutside: false },
      }),
      quietly: delivery.quietly,
      facts: Object.keys(event.facts).length > 0 ? event.facts : (session?.facts ?? {}),
      possibleDuplicate: delivery.possibleDuplicate,
    };
  }

  return {
    /** The texts that the local terminal shows for an event. */
    texts: (event: HookEvent, session: Session | null) => textsFor(null, event, session),
    /** As they were sent. @param session which may have had other turns since; left out: its title in the entry is used */
    entryTexts({ event, sessionTitle, turnMs }: HistoryEntry, session?: Session): Texts {
      if (session === undefined) {
        return textsFor(null, { ...event, title: sessionTitle ?? event.title }, null);
      }
      const isAsThen = turnMs === null || session.stateSince === event.at;
      const then = { ...session, stateSince: event.at, lastTurnMs: turnMs, changes: [] };
      return textsFor(null, event, isAsThen ? session : then);
    },
    notification: ({ delivery, event, session, also }: WholeDelivery): Notification => {
      const detail = detailOf(delivery.channel);
      const all = byUrgency([event, ...also]);
      const [first = event] = all;
      const notification = {
        ...messageOf(delivery, first, first.sessionKey === event.sessionKey ? session : null),
        // Later updates, a newer message or a withdrawal, refer to the delivery's own event.
        groupKey: event.sessionKey,
      };
      if (also.length === 0) return withDetail(notification, detail);
      const texts = (one: HookEvent): Texts => textsFor(delivery.channel, one, null);
      return withDetail(summarize(notification, all, texts), detail);
    },
    /** The same message, marked as over, or as acknowledged. */
    over: ({ delivery, event, session, cause, reason }: Withdrawal): Notification => {
      const notification = messageOf(delivery, event, session);
      const { markdown: _, ...rest } = notification;
      const mark = cause === 'over' ? 'Over' : 'Acknowledged';
      return { ...rest, title: `${mark}: ${notification.title}`, body: reason, quietly: true };
    },
  };
}

const SUMMARY_LENGTH = 140;

function withDetail(notification: Notification, detail: BodyDetail): Notification {
  if (detail === 'full') return notification;
  const [firstLine = ''] = notification.body.split('\n');
  const body =
    detail === 'summary'
      ? cutText(firstLine, SUMMARY_LENGTH)
      : `hookbell explain ${notification.eventId.slice(0, 8)}`;
  const { details: _, markdown: __, ...rest } = notification;
  return { ...rest, body };
}

function textsOf(
  event: HookEvent,
  {
    session,
    words,
    templates,
    stillRunning,
  }: { session: Session | null; words: Words; templates: Templates; stillRunning: boolean },
): Texts {
  const limit = session?.usageLimit?.eventId === event.id ? session.usageLimit : null;
  const facts: Facts = {
    kind: event.kind,
    ownHeadline: hasOwnHeadline(event),
    failed: event.failed,
    subagent: event.subagent || event.kind === 'subagent.done',
    source: event.source,
    limit: limit === null ? null : limitText(limit, event),
    duration: turnLengthText(endedTurn(event, session)?.lastTurnMs ?? null),
    stillRunning,
  };
  // Templates for the end of a turn would report it as done, and none marks a test.
  if (stillRunning || event.kind === 'test') return builtIn(headline(words, facts), words, facts);
  const values = valuesOf(words, facts);
  const title = templates.title[event.kind] ?? templates.title.default;
  const body = templates.body[event.kind] ?? templates.body.default;
  const filledTitle = title === undefined ? '' : displayLine(fillTidily(title, values));
  const filledBody = body === undefined ? '' : displayText(fillTidily(body, values));
  const shown = filledTitle === '' ? headline(words, facts) : filledTitle;
  return filledBody === '' ? builtIn(shown, words, facts) : { title: shown, body: filledBody };
}

/** "session limit until 15:45", in the time zone of this machine: named where the session runs on another. */
function limitText({ what, until }: UsageLimit, { at, machine }: HookEvent): string {
  if (until === null) return what;
  const zone = localTimezone();
  return `${what} until ${dayAndTime(until, at, zone)}${machine === null ? '' : ` (${zone})`}`;
}

function builtIn(title: string, words: Words, facts: Facts): Texts {
  const asked = words.asked === null ? null : askedText(words.asked);
  const message = asked ?? words.message ?? defaultMessage(words, facts);
  if (facts.ownHeadline) return { title, body: belowHeadline(message) };
  const last = details(words, facts, title);
  const below = [afterLimit(facts), reasonLine(words, facts), words.changes].filter(
    (line) => line !== null,
  );
  // The agent's Markdown, or a request that the body shortens.
  const markdown = words.asked === null ? words.markdown : askedMarkdown(words.asked);
  return {
    title,
    body: [message, ...below, ...(last === null ? [] : [last])].join('\n'),
    ...(last !== null && { details: last }),
    ...(markdown !== null && {
      markdown: [markdown, ...below.map(escapeMarkdown)].join('\n\n'),
    }),
  };
}

function valuesOf(words: Words, { kind, duration }: Facts): Values {
  return {
    active: words.active ?? '',
    agent: words.agent,
    changes: words.changes ?? '',
    computer: words.computer ?? '',
    credits: words.credits ?? '',
    duration: duration ?? '',
    event: words.event,
    input: words.asked === null ? '' : askedText(words.asked),
    kind,
    message: words.message ?? '',
    project: words.project ?? '',
    reason: words.reason ?? '',
    session: words.sessionTitle ?? words.shortSessionId ?? '',
    session_id: words.sessionId ?? '',
    title: words.sessionTitle ?? words.project ?? '',
    tool: words.tool ?? '',
  };
}
