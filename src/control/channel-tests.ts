import { randomUUID } from 'node:crypto';

import { abilityText, declaredAbilities } from '../core/ability.ts';
import type { ChannelCheckView, ChannelTestView } from './contract.ts';
import type { HookFacts } from '../core/facts.ts';
import { TEST_EVENT, testChannelsOf } from '../core/hand-made.ts';
import type { Notification } from '../core/notification.ts';
import { failed, type Outcome } from '../core/outcome.ts';
import {
  channelNamed,
  hasAbility,
  type RunningChannel,
  type RunningChannels,
} from '../delivery/running-channel.ts';
import { ownNotification } from '../delivery/warnings.ts';

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
  return Promise.all(
    chosen(channels, names).map((channel) =>
      testChannel(channel, testNotification(channel.name, test)),
    ),
  );
}

async function testChannel(
  running: RunningChannel,
  notification: Notification,
): Promise<ChannelTestView> {
  const startedAt = performance.now();
  const outcome = await send(running, notification);
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

function testNotification(
  channel: string,
  { now, facts }: Pick<ChannelTest, 'now' | 'facts'>,
): Notification {
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
export async function checkChannels(
  channels: RunningChannels,
): Promise<readonly ChannelCheckView[]> {
  return Promise.all(
    [...channels.values()].map(async (running) => {
      const { name, type, channel } = running;
      try {
        const { ok, summary, hint } = await channel.check(AbortSignal.timeout(CHECK_TIMEOUT_MS));
        const view = { channel: name, type, ok, summary, hint: hint ?? null };
        return { ...view, can: canText(running), cannot: cannotText(running) };
      } catch {
        const failure = { ok: false, summary: 'The check failed', hint: null };
        return { channel: name, type, ...failure, can: '', cannot: '' };
      }
    }),
  );
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
