import { randomUUID } from 'node:crypto';

import { abilityText, declaredAbilities } from '../core/ability.ts';
import type { Decision } from '../core/decision.ts';
import type { ChannelCheckView, ChannelTestView } from './contract.ts';
import type { HookFacts } from '../core/facts.ts';
import { handMadeSessionId, TEST_EVENT, testChannelsOf } from '../core/hand-made.ts';
import { sessionKeyOf } from '../core/hook-event.ts';
import type { Notification } from '../core/notification.ts';
import { failed, type Outcome } from '../core/outcome.ts';
import { foundRecord } from '../core/source-event.ts';
import type { Effects, EventStore } from '../core/store.ts';
import {
  channelNamed,
  hasAbility,
  type RunningChannel,
  type RunningChannels,
} from '../delivery/running-channel.ts';
import { ownNotification } from '../delivery/warnings.ts';
import { tidyReason } from '../delivery/channel-health.ts';
import { tookText } from '../text/duration.ts';

const CHECK_TIMEOUT_MS = 8_000;

export interface ChannelTest {
  /** Null: the channels for tests (`testChannelsOf`). */
  readonly names: readonly string[] | 'all' | null;
  /** The caller's environment: a channel that writes to a terminal writes to theirs. */
  readonly facts: HookFacts;
  readonly now: () => number;
}

/** Sends a real notification through each channel; reports outcome and duration. */
export async function runChannelTests(
  channels: RunningChannels,
  { names, ...test }: ChannelTest,
): Promise<readonly ChannelTestView[]> {
  return Promise.all(chosen(channels, names).map((channel) => testChannel(channel, test)));
}

/** Records tests as one event, so that `history` and `explain` show them; their messages do not pass the outbox. */
export async function recordTests(
  events: Pick<EventStore, 'accept'>,
  tests: readonly ChannelTestView[],
  now: () => number,
): Promise<void> {
  const id = randomUUID();
  const sessionId = handMadeSessionId('test', id);
  const names = tests.map(({ channel }) => channel);
  const record = foundRecord({
    id,
    at: now(),
    finder: TEST_EVENT,
    agent: 'unknown',
    sessionKey: sessionKeyOf('unknown', sessionId, null),
    sessionId,
    event: TEST_EVENT,
    kind: 'test',
    failed: false,
    message: `hookbell: this is a test of ${names.join(', ')}`,
    title: null,
    subject: null,
    payload: { hook_event_name: TEST_EVENT, session_id: sessionId, channels: names },
  });
  const decisions = tests.map(({ channel, outcome, durationMs, reason }): Decision => {
    const why = reason === null ? '' : `: ${tidyReason(reason)}`;
    const took = `after ${tookText(durationMs)}${why}`;
    return outcome === 'delivered'
      ? { stage: 'delivery', verdict: 'notify', reason: `${channel}: delivered ${took}` }
      : { stage: 'delivery', verdict: 'stop', reason: `${channel}: not delivered ${took}` };
  });
  await events.accept([record], (_, event) => ({ ...nothingElse, event, decisions }));
}

const nothingElse = {
  session: null,
  alerts: [],
  turnMs: null,
  deliveries: [],
  relay: false,
  cancel: [],
  withdraw: [],
} as const satisfies Omit<Effects, 'event' | 'decisions'>;

async function testChannel(running: RunningChannel, test: Test): Promise<ChannelTestView> {
  const startedAt = performance.now();
  const outcome = await send(running, testNotification(running.name, test));
  return {
    channel: running.name,
    type: running.type,
    outcome: outcome.type,
    reason: outcome.type === 'delivered' ? (outcome.note ?? null) : outcome.reason,
    durationMs: Math.round(performance.now() - startedAt),
    clickAcknowledges: outcome.type === 'delivered' && hasAbility(running, 'acknowledge'),
  };
}

async function send(
  { channel, limits }: RunningChannel,
  notification: Notification,
): Promise<Outcome> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    return await channel.send(notification, { signal, carry: null, attempt: 1 });
  } catch (error) {
    // A channel that throws has a bug; its text may hold secrets and goes to the log only.
    return failed(`The channel failed (${error instanceof Error ? error.name : 'unknown error'})`);
  }
}

type Test = Omit<ChannelTest, 'names'>;

function testNotification(channel: string, { now, facts }: Test): Notification {
  return ownNotification({
    id: randomUUID(),
    groupKey: 'hookbell:test',
    at: now(),
    event: TEST_EVENT,
    kind: 'test',
    severity: 'info',
    title: 'hookbell: this is a test',
    body: `This is what a notification of channel "${channel}" looks like. No action is needed.`,
    facts,
  });
}

/** Checks, without sending, whether each channel would work. */
export function checkChannels(channels: RunningChannels): Promise<readonly ChannelCheckView[]> {
  return Promise.all([...channels.values()].map(checkChannel));
}

async function checkChannel(running: RunningChannel): Promise<ChannelCheckView> {
  const { name, type, channel } = running;
  try {
    const { ok, summary, hint } = await channel.check(AbortSignal.timeout(CHECK_TIMEOUT_MS));
    const view = { channel: name, type, ok, summary, hint: hint ?? null };
    return { ...view, can: canText(running), cannot: cannotText(running) };
  } catch {
    const failure = { ok: false, summary: 'The check failed', hint: null };
    return { channel: name, type, ...failure, can: '', cannot: '' };
  }
}

/** The abilities it has. A channel that reports what it lacks has what the others need. */
function canText(running: RunningChannel): string {
  const { channel } = running;
  const has = declaredAbilities(running.can).filter(({ ability }) => hasAbility(running, ability));
  return abilityText(
    channel.lacks === undefined ? has : has.map((one) => ({ ...one, needs: null })),
  );
}

/** The declared abilities it lacks, with what they need. */
function cannotText(running: RunningChannel): string {
  const declared = declaredAbilities(running.can);
  return abilityText(declared.filter(({ ability }) => !hasAbility(running, ability)));
}

function chosen(channels: RunningChannels, names: ChannelTest['names']): RunningChannel[] {
  const all = [...channels.values()];
  if (names === 'all') return all;
  return (names ?? testChannelsOf(all)).map((name) => channelNamed(channels, name));
}
