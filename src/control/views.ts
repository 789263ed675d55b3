import { customNameOf } from '../core/agent/custom-name.ts';
import { isWithoutHooks } from '../core/agent/witness.ts';
import type { AlertView } from './contract-views.ts';
import type { Alert } from '../core/alert.ts';
import type {
  DeliveryView,
  EventView,
  HistoryDeliveryView,
  HistoryView,
  MuteView,
  SessionView,
} from './contract.ts';
import type { Delivery } from '../core/delivery.ts';
import type { FactKey } from '../core/facts.ts';
import type { HistoryEntry } from '../core/history.ts';
import type { Mute } from '../core/policy.ts';
import { severityOf } from '../core/notification.ts';
import { plainFromMarkdown } from '../text/markdown.ts';
import type { Redact } from '../text/redact.ts';
import type { Session } from '../core/session.ts';
import type { Texts } from '../delivery/render.ts';
import { isoOrNull, isoTime } from '../platform/time.ts';

export function historyView(entry: HistoryEntry, texts: Texts, redact: Redact): HistoryView {
  const { event } = entry;
  return {
    eventId: event.id,
    at: isoTime(event.at),
    machine: event.machine,
    agent: event.agent,
    called: customNameOf(event),
    event: event.event,
    kind: event.kind,
    severity: severityOf(event),
    sessionId: event.sessionId,
    project: clean(event.project, redact),
    title: texts.title,
    text: texts.body.split('\n')[0] ?? '',
    decisions: entry.decisions,
    deliveries: entry.deliveries.map(historyDeliveryView),
  };
}

export function eventView(
  entry: HistoryEntry & { readonly payload: Uint8Array },
  texts: Texts,
  redact: Redact,
): EventView {
  const { event } = entry;
  return {
    ...historyView(entry, texts, redact),
    receivedAt: isoTime(event.receivedAt),
    message: clean(event.message, redact),
    tool: event.tool,
    cwd: clean(event.cwd, redact),
    body: texts.body,
    whole: texts.markdown === undefined ? null : plainFromMarkdown(texts.markdown),
    turnMs: entry.turnMs,
    facts: event.facts,
    payload: new TextDecoder().decode(entry.payload),
    deliveries: entry.deliveries.map((delivery) => ({
      ...historyDeliveryView(delivery),
      step: delivery.step,
      dueAt: isoTime(delivery.dueAt),
      possibleDuplicate: delivery.possibleDuplicate,
      log: delivery.log.map(({ startedAt, ...attempt }) => ({
        ...attempt,
        startedAt: isoTime(startedAt),
      })),
    })),
  };
}

function clean(text: string | null, redact: Redact): string | null {
  return text === null ? null : redact(text);
}

function historyDeliveryView(delivery: HistoryEntry['deliveries'][number]): HistoryDeliveryView {
  return {
    id: delivery.id,
    channel: delivery.channel,
    ...(delivery.recipient !== null && { recipient: delivery.recipient }),
    state: delivery.state,
    attempts: delivery.attempts,
    reason: delivery.reason,
    sentAt: isoOrNull(delivery.sentAt),
    sentWith: delivery.sentWith,
  };
}

export function deliveryView(delivery: Delivery): DeliveryView {
  return {
    id: delivery.id,
    eventId: delivery.eventId,
    channel: delivery.channel,
    ...(delivery.recipient !== null && { recipient: delivery.recipient }),
    state: delivery.state,
    attempts: delivery.attempts,
    reason: delivery.reason,
    createdAt: isoTime(delivery.createdAt),
    dueAt: isoTime(delivery.dueAt),
    heldFor: delivery.heldFor,
  };
}

export function alertView(alert: Alert): AlertView {
  return {
    id: alert.id,
    session: alert.sessionKey,
    state: alert.state,
    kind: alert.kind,
    eventId: alert.eventId,
    openedAt: isoTime(alert.openedAt),
    expiresAt: isoTime(alert.expiresAt),
    acknowledgedAt: isoOrNull(alert.acknowledgedAt),
    plan: alert.plan.name,
  };
}

export function muteView({ sessionKey, createdAt, until, ...mute }: Mute): MuteView {
  return {
    ...mute,
    session: sessionKey,
    createdAt: isoTime(createdAt),
    until: isoOrNull(until),
  };
}

export function sessionView(
  session: Session,
  alert: Alert | undefined,
  redact: Redact,
  now: number,
): SessionView {
  const { schedule } = session;
  const snoozedUntil = alert?.snoozedUntil ?? null;
  return {
    key: session.key,
    agent: session.agent,
    called: customNameOf(session),
    sessionId: session.sessionId,
    state: session.state,
    since: isoTime(session.stateSince),
    waitingFor: clean(session.waitingFor, redact),
    acknowledgedAt: isoOrNull(alert?.acknowledgedAt ?? null),
    snoozedUntil: (snoozedUntil ?? 0) <= now ? null : isoOrNull(snoozedUntil),
    project: clean(session.project, redact),
    cwd: clean(session.cwd, redact),
    hasTerminal: session.machine === null && terminalFacts.some((key) => session.facts[key]),
    host: session.facts.host ?? null,
    seenBy: isWithoutHooks(session.facts) ? 'record' : 'hooks',
    title: clean(titleOf(session), redact),
    computer: session.machine ?? session.lookedUp?.computer ?? null,
    startedAt: isoTime(session.startedAt),
    lastEventAt: isoTime(session.lastEventAt),
    lastTurnMs: session.lastTurnMs,
    schedule:
      schedule === null ? null : { until: isoOrNull(schedule.until), round: schedule.round },
  };
}

/** Any of them says where the session's terminal is (src/attention). */
const terminalFacts = [
  'tty',
  'tmux',
  'term_program',
  'lc_terminal',
  'windowid',
  'kitty_window_id',
  'wezterm_pane',
  'iterm_session_id',
  'gnome_terminal_screen',
  'konsole_dbus_service',
  'alacritty_window_id',
  'ghostty_surface_id',
  'vscode_git_askpass_node',
  'cf_bundle_identifier',
] as const satisfies readonly FactKey[];

/** In the order in which notifications choose it. */
function titleOf({ lookedUp, title, firstPrompt }: Session): string | null {
  return lookedUp?.title ?? title ?? lookedUp?.transcriptTitle ?? firstPrompt;
}
