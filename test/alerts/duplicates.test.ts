import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { traitsOf } from '../../src/agents/registry.ts';
import { decodePayload } from '../../src/agents/decode.ts';
import { decide } from '../../src/alerts/decide.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { unknownPresence } from '../../src/core/policy.ts';
import type { Store } from '../../src/core/store.ts';
import { openMemoryStore } from '../../src/store/open-store.ts';
import { samplePolicy } from '../support/decisions.ts';
import { NOW, temporaryStore } from '../support/store.ts';

const question = { hook_event_name: 'Notification', message: 'droid needs your permission' };
const answer = { hook_event_name: 'PostToolUse', tool_name: 'Execute', tool_input: {} };

interface Turn {
  /** From the question to its answer: no person is faster, ms. */
  readonly answerMs: number;
  /** From the answer to the next question, ms. */
  readonly pauseMs: number;
}

interface Course {
  readonly turns: readonly Turn[];
  /** By how much the hook of the second registration is late, by event, ms; null when there is only one registration. */
  readonly late: readonly number[] | null;
}

const courses: fc.Arbitrary<Course> = fc.record({
  turns: fc.array(
    fc.record({
      answerMs: fc.integer({ min: 300, max: 1_500 }),
      pauseMs: fc.integer({ min: 0, max: 400 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  late: fc.option(fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 10, maxLength: 10 })),
});

let lastId = 0;

function newId(): string {
  lastId += 1;
  return `id-${lastId}`;
}

/** The same question again and again, each answered, as hooks hand them in. */
function eventsOf({ turns, late }: Course, session: string): readonly HookEvent[] {
  const events: HookEvent[] = [];
  let at = NOW;
  const handIn = (payload: object): void => {
    const delays = late === null ? [0] : [0, late[events.length / 2] ?? 0];
    for (const delay of delays)
      events.push(eventOf({ ...payload, session_id: session }, at + delay));
  };
  for (const { answerMs, pauseMs } of turns) {
    handIn(question);
    at += answerMs;
    handIn(answer);
    at += pauseMs;
  }
  return events.toSorted((left, right) => left.at - right.at);
}

function eventOf(payload: object, at: number): HookEvent {
  const decoded = decodePayload({
    payload: Buffer.from(JSON.stringify(payload)),
    facts: { agent: 'droid' },
  });
  assert.ok(decoded.ok);
  return { ...decoded.event, id: newId(), at, receivedAt: at };
}

/** How many alerts the events open, all of them committed. */
async function alertsInStore(store: Store, events: readonly HookEvent[]): Promise<number> {
  let opened = 0;
  for (const event of events) {
    const record = { event, payload: new Uint8Array() };
    await store.events.accept([record], (memory) => {
      const presence = unknownPresence;
      const effects = decide(memory, event, {
        agents: traitsOf,
        policy: samplePolicy,
        now: event.at,
        presence,
        newId,
      });
      opened += effects.alerts.filter(({ eventId }) => eventId === event.id).length;
      return effects;
    });
  }
  return opened;
}

const answeredAtOnce = { answerMs: 400, pauseMs: 100 };

describe('copies of one event by two registrations, and questions that are asked again (A9)', () => {
  test('Notification, PostToolUse and the same Notification within 2 s are two questions', async () => {
    await using opened = await temporaryStore();
    const course = { turns: [answeredAtOnce, answeredAtOnce], late: null };

    assert.equal(await alertsInStore(opened.store, eventsOf(course, 's1')), 2);
  });

  test('every question notifies once in the store, whatever comes twice and in which order', async () => {
    const store = await openMemoryStore(() => NOW);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(courses, async (course) => {
        run += 1;
        const alerts = await alertsInStore(store, eventsOf(course, `s${run}`));
        assert.equal(alerts, course.turns.length);
      }),
      { numRuns: 300 },
    );
    await store.close();
  });
});
