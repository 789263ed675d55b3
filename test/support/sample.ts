import type { Reaction } from '../../src/core/channel.ts';
import { type HookEvent, sessionKeyOf } from '../../src/core/hook-event.ts';
import type { Notification } from '../../src/core/notification.ts';
import type { Mute } from '../../src/core/policy.ts';

let counter = 0;

/** A valid hook event; name only the fields the test is about. */
export function sampleEvent(fields: Partial<HookEvent> = {}): HookEvent {
  counter += 1;
  const agent = fields.agent ?? 'claude';
  const sessionId = fields.sessionId === undefined ? 's1' : fields.sessionId;
  const cwd = fields.cwd === undefined ? '/home/dev/shop' : fields.cwd;
  return {
    id: `event-${counter}`,
    machine: null,
    at: 1_700_000_000_000,
    receivedAt: 1_700_000_000_000,
    agent,
    event: 'Notification',
    kind: 'needs.input',
    sessionKey: sessionKeyOf(agent, sessionId, cwd),
    sessionId,
    cwd,
    project: 'shop',
    message: 'Claude is waiting for your input',
    tool: null,
    asked: null,
    reason: null,
    failed: false,
    notificationType: null,
    permissionMode: null,
    subagent: false,
    attended: null,
    source: null,
    title: null,
    transcriptPath: null,
    backgroundWork: false,
    subject: null,
    duplicate: { key: `key-${counter}`, windowMs: null },
    facts: {},
    ...fields,
  };
}

/** A valid notification; name only the fields the test is about. */
export function sampleNotification(fields: Partial<Notification> = {}): Notification {
  counter += 1;
  return {
    deliveryId: `0190a5e0-0000-7000-8000-${String(counter).padStart(12, '0')}`,
    eventId: `event-${counter}`,
    groupKey: 'claude:s1',
    at: 1_700_000_000_000,
    agent: 'claude',
    event: 'Notification',
    kind: 'needs.input',
    severity: 'warning',
    sessionId: 's1',
    sessionTitle: null,
    computer: null,
    activeMs: null,
    credits: null,
    origin: { user: 'ada', host: 'devbox' },
    asked: null,
    project: 'shop',
    title: 'shop: waits for your answer',
    body: 'Claude is waiting for your input',
    durationMs: null,
    quietly: false,
    facts: {},
    possibleDuplicate: false,
    ...fields,
  };
}

/** What a click on it says, where a click brings the session forward. */
export function reactionTo({ deliveryId, agent, facts, at }: Notification): Reaction {
  return { deliveryId, type: 'acknowledged', opens: { agent, facts, at } };
}

/** Mutes everything forever; name only what the test is about. */
export function sampleMute(fields: Partial<Mute> = {}): Mute {
  return {
    id: 'mute',
    createdAt: 1_700_000_000_000,
    until: null,
    sessionKey: null,
    project: null,
    agent: null,
    channel: null,
    kind: null,
    ...fields,
  };
}
