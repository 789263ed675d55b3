import assert from 'node:assert/strict';

import { createSimulation, type Notified, type Simulation } from '../../src/alerts/simulate.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import type { Policy, Presence } from '../../src/core/policy.ts';
import { samplePolicy } from './decisions.ts';
import { sampleEvent } from './sample.ts';

/** Second 0 of a timeline: Monday, 5 January 2026, 12:00 UTC. */
export const START = Date.UTC(2026, 0, 5, 12);

export interface Timeline {
  readonly simulation: Simulation;
  /** An event, so many seconds after the start. */
  readonly at: (seconds: number, ...events: readonly Partial<HookEvent>[]) => void;
  /** Exactly one message on a channel between two seconds; answers it. */
  readonly want: (from: number, to: number, channel: string) => Notified;
  /** No message on a channel (or any that people read) between two seconds. */
  readonly wantNone: (from: number, to: number, channel?: string) => void;
  readonly acknowledge: (seconds: number, sessionKey?: string) => void;
  /** The channels told so far, in order: "desktop@0". */
  readonly told: () => readonly string[];
}

/**
 * A language for scenarios: `at(0, permission('npm test'))`, `want(0, 0, 'desktop')`. Time is simulated; `want` lets it
 * pass as far as it looks.
 */
export function timeline(
  policy: Policy = samplePolicy,
  presenceOf?: (sessionKey: string, at: number) => Presence | null,
): Timeline {
  const simulation = createSimulation({
    policy,
    ...(presenceOf === undefined ? {} : { presenceOf }),
  });

  function between(from: number, to: number, channel: string | undefined): readonly Notified[] {
    simulation.advanceTo(START + to * 1_000);
    return simulation
      .told()
      .filter((told) => told.at >= START + from * 1_000 && told.at <= START + to * 1_000)
      .filter((told) => channel === undefined || told.channel === channel);
  }

  return {
    simulation,
    at(seconds, ...events) {
      const time = START + seconds * 1_000;
      for (const fields of events) {
        simulation.feed(sampleEvent({ at: time, receivedAt: time, ...fields }));
      }
    },
    want(from, to, channel) {
      const found = between(from, to, channel);
      assert.equal(found.length, 1, `"${channel}" between ${from} s and ${to} s`);
      const [told] = found;
      assert.ok(told);
      return told;
    },
    wantNone(from, to, channel) {
      assert.deepEqual(
        between(from, to, channel).map((told) => `${told.channel}@${(told.at - START) / 1_000}`),
        [],
      );
    },
    acknowledge(seconds, sessionKey) {
      simulation.acknowledge(sessionKey ?? null, START + seconds * 1_000);
    },
    told: () => simulation.told().map((told) => `${told.channel}@${(told.at - START) / 1_000}`),
  };
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
