import assert from 'node:assert/strict';

import type { SimulatedMessage } from '../../src/alerts/simulate.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import type { Policy, Presence } from '../../src/core/policy.ts';
import { samplePolicy } from './decisions.ts';
import { sampleEvent } from './sample.ts';
import { type TestSimulation, testSimulation } from './simulation.ts';

/** Second 0 of a timeline: Monday, 5 January 2026, 12:00 UTC. */
export const START = Date.UTC(2026, 0, 5, 12);

export interface Timeline extends AsyncDisposable {
  readonly simulation: TestSimulation;
  /** Sends events `seconds` after the start. */
  readonly at: (seconds: number, ...events: readonly Partial<HookEvent>[]) => Promise<void>;
  /** Exactly one message on a channel between two seconds; returns it. */
  readonly want: (from: number, to: number, channel: string) => Promise<SimulatedMessage>;
  /** No message on a channel (or any that people read) between two seconds. */
  readonly wantNone: (from: number, to: number, channel?: string) => Promise<void>;
  readonly acknowledge: (seconds: number, sessionKey?: string) => Promise<void>;
  /** The channels notified so far, in order: "desktop@0". */
  readonly sent: () => readonly string[];
}

/**
 * A language for scenarios: `at(0, permission('npm test'))`, `want(0, 0, 'desktop')`. Time is simulated; `want` lets it
 * pass as far as it looks.
 */
export async function timeline(
  policy: Policy = samplePolicy,
  presenceOf?: (sessionKey: string, at: number) => Presence | null,
): Promise<Timeline> {
  const simulation = await testSimulation({
    policy,
    ...(presenceOf === undefined ? {} : { presenceOf }),
  });

  async function between(
    from: number,
    to: number,
    channel: string | undefined,
  ): Promise<readonly SimulatedMessage[]> {
    await simulation.advanceTo(START + to * 1_000);
    return simulation
      .sent()
      .filter(({ at }) => at >= START + from * 1_000 && at <= START + to * 1_000)
      .filter((message) => channel === undefined || message.channel === channel);
  }

  return {
    simulation,
    async at(seconds, ...events) {
      const time = START + seconds * 1_000;
      for (const fields of events) {
        await simulation.feed(sampleEvent({ at: time, receivedAt: time, ...fields }));
      }
    },
    async want(from, to, channel) {
      const found = await between(from, to, channel);
      assert.equal(found.length, 1, `"${channel}" between ${from} s and ${to} s`);
      const [message] = found;
      assert.ok(message);
      return message;
    },
    async wantNone(from, to, channel) {
      assert.deepEqual((await between(from, to, channel)).map(nameOf), []);
    },
    acknowledge: (seconds, sessionKey) =>
      simulation.acknowledge(sessionKey ?? null, START + seconds * 1_000),
    sent: () => simulation.sent().map(nameOf),
    [Symbol.asyncDispose]: () => simulation.close(),
  };
}

function nameOf({ channel, at }: SimulatedMessage): string {
  return `${channel}@${(at - START) / 1_000}`;
}

/** Events of a session as an agent sends them; `session` tells several apart. */
export function prompt(session = 's1'): Partial<HookEvent> {
  return { ...of(session), kind: 'prompt', event: 'UserPromptSubmit', message: 'go on' };
}

export function permission(what: string, session = 's1'): Partial<HookEvent> {
  return {
    ...of(session),
    kind: 'needs.permission',
    event: 'PermissionRequest',
    tool: 'Bash',
    message: null,
    subject: what,
  };
}

export function stop(session = 's1'): Partial<HookEvent> {
  return { ...of(session), kind: 'turn.done', event: 'Stop', message: 'Done' };
}

export function failure(session = 's1'): Partial<HookEvent> {
  return { ...of(session), kind: 'turn.failed', event: 'StopFailure', failed: true };
}

export function toolDone(session = 's1'): Partial<HookEvent> {
  return { ...of(session), kind: 'tool.done', event: 'PostToolUse', tool: 'Bash' };
}

export function idle(session = 's1'): Partial<HookEvent> {
  return { ...of(session), kind: 'needs.input', notificationType: 'idle_prompt' };
}

function of(session: string): Partial<HookEvent> {
  return { sessionId: session, sessionKey: `claude:${session}` };
}
