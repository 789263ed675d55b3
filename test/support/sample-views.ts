import type { Question, ShownQuestion } from '../../src/core/question.ts';
import type { AlertView } from '../../src/control/contract-views.ts';
import type {
  DeliveryView,
  EventDeliveryView,
  EventView,
  MuteView,
  SessionView,
  StatusView,
  WaitingView,
} from '../../src/control/contract.ts';

/** Something hostile: an escape sequence, a bidi override and a forged line. */
export const hostileText = 'evil\u001b[31m\u202etext\nforged line';
/** What people may see of it on one line. */
export const harmlessText = 'eviltext forged line';

export function sampleSessionView(fields: Partial<SessionView> = {}): SessionView {
  return {
    key: 'claude:s1',
    agent: 'claude',
    called: null,
    sessionId: 's1',
    state: 'waiting',
    since: '2026-03-01T10:00:00.000Z',
    waitingFor: 'Run npm publish?',
    acknowledgedAt: null,
    snoozedUntil: null,
    project: 'shop',
    cwd: '/home/dev/shop',
    hasTerminal: true,
    seenBy: 'hooks',
    host: null,
    computer: null,
    title: 'Release 2.0',
    startedAt: '2026-03-01T09:00:00.000Z',
    lastEventAt: '2026-03-01T10:00:00.000Z',
    lastTurnMs: null,
    schedule: null,
    ...fields,
  };
}

export function sampleEventDeliveryView(
  fields: Partial<EventDeliveryView> = {},
): EventDeliveryView {
  return {
    id: '0190a5e0-0000-7000-8000-000000000001',
    channel: 'desktop',
    state: 'sent',
    attempts: 1,
    reason: null,
    sentAt: '2026-03-01T10:00:00.035Z',
    sentWith: null,
    step: 0,
    dueAt: '2026-03-01T10:00:00.004Z',
    possibleDuplicate: false,
    log: [
      {
        number: 1,
        startedAt: '2026-03-01T10:00:00.010Z',
        durationMs: 25,
        outcome: 'delivered',
        reason: null,
      },
    ],
    ...fields,
  };
}

export function sampleEventView(fields: Partial<EventView> = {}): EventView {
  return {
    eventId: 'f3a1c2d4-aaaa-4bbb-8ccc-000000000001',
    at: '2026-03-01T10:00:00.000Z',
    machine: null,
    receivedAt: '2026-03-01T10:00:00.003Z',
    agent: 'claude',
    called: null,
    event: 'Notification',
    kind: 'needs.permission',
    severity: 'warning',
    sessionId: 's1',
    project: 'shop',
    title: 'shop needs permission',
    text: 'Claude needs your permission to use Bash',
    body: 'Claude needs your permission to use Bash',
    whole: null,
    turnMs: null,
    message: 'Claude needs your permission to use Bash',
    tool: null,
    cwd: '/home/dev/shop',
    facts: { tmux_pane: '%3' },
    payload: '{"hook_event_name":"Notification","session_id":"s1"}',
    decisions: [
      {
        stage: 'classify',
        verdict: 'pass',
        reason: 'claude "Notification" means needs.permission',
      },
      { stage: 'route', verdict: 'pass', reason: 'routes[0] chooses plan "escalate"' },
    ],
    deliveries: [sampleEventDeliveryView()],
    ...fields,
  };
}

export function sampleDeliveryView(fields: Partial<DeliveryView> = {}): DeliveryView {
  return {
    id: '0190a5e0-0000-7000-8000-000000000001',
    eventId: 'f3a1c2d4-aaaa-4bbb-8ccc-000000000001',
    channel: 'team',
    state: 'dead',
    attempts: 8,
    reason: 'Slack answered 500',
    createdAt: '2026-03-01T10:00:00.000Z',
    dueAt: '2026-03-01T10:05:00.000Z',
    heldFor: null,
    ...fields,
  };
}

export function sampleStatusView(fields: Partial<StatusView> = {}): StatusView {
  return {
    version: '0.1.0',
    pid: 4242,
    startedAt: '2026-03-01T08:00:00.000Z',
    startedBy: 'hook',
    config: {
      path: '/home/dev/.config/hookbell/config.yaml',
      ok: true,
      loadedAt: '2026-03-01T08:00:00.000Z',
      problems: [],
    },
    spool: { pending: 0, quarantined: 0 },
    deliveries: { pending: 0, sent: 3, dead: 0 },
    sessions: { waiting: 1, working: 2 },
    channels: [
      {
        name: 'desktop',
        type: 'desktop',
        state: 'ok',
        lastOutcome: 'delivered',
        lastReason: null,
        notBefore: null,
        paused: [],
      },
    ],
    events: 12,
    quietUntil: null,
    heartbeat: null,
    relay: null,
    listen: null,
    endpoints: [],
    mutes: [],
    api: { state: 'off', until: null, reason: null },
    warnings: [],
    ...fields,
  };
}

export function sampleAlertView(fields: Partial<AlertView> = {}): AlertView {
  return {
    id: '0190a5e0-0000-7000-8000-00000000000a',
    session: 'claude:s1',
    state: 'open',
    kind: 'needs.permission',
    eventId: 'f3a1c2d4-aaaa-4bbb-8ccc-000000000001',
    openedAt: '2026-03-01T10:00:00.000Z',
    expiresAt: '2026-03-01T22:00:00.000Z',
    acknowledgedAt: null,
    plan: 'escalate',
    ...fields,
  };
}

export function sampleMuteView(fields: Partial<MuteView> = {}): MuteView {
  return {
    id: '0190a5e0-0000-7000-8000-00000000000b',
    createdAt: '2026-03-01T10:00:00.000Z',
    until: null,
    session: null,
    project: null,
    agent: null,
    channel: null,
    kind: null,
    ...fields,
  };
}

const noWaits = { count: 0, totalMs: 0, workingMs: 0, p50Ms: null, p95Ms: null };

export function sampleWaitingView(fields: Partial<WaitingView> = {}): WaitingView {
  return {
    since: '2026-03-01T00:00:00.000Z',
    until: '2026-03-02T00:00:00.000Z',
    by: 'day',
    rows: [],
    asked: noWaits,
    done: noWaits,
    returns: [],
    unanswered: {},
    excluded: { gaps: 0, ms: 0 },
    paused: [],
    ...fields,
  };
}

/** An open request of a session in the project "shop", as the page and a person see it. */
export function sampleShownQuestion(
  fields: Partial<Question> = {},
  more: Partial<ShownQuestion> = {},
): ShownQuestion {
  return {
    question: {
      id: 'q1',
      sessionKey: 'claude:s1',
      agent: 'claude',
      agentId: null,
      tool: 'Bash',
      requestHash: 'a'.repeat(64),
      callHash: null,
      hold: 'open',
      choices: ['allow', 'deny'],
      state: 'held',
      openedAt: 0,
      deadline: 1,
      answer: null,
      closedAt: null,
      reason: null,
      ...fields,
    },
    sessionId: 's1',
    project: 'shop',
    cwd: '/home/dev/shop',
    text: 'Bash\n  command: npm publish',
    asks: [],
    agentPid: null,
    ...more,
  };
}
