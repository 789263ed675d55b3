import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { type Judgement, judgeStatement } from '../../src/alerts/join-witness.ts';
import { seenFact, type AgentStatement } from '../../src/core/agent/witness.ts';
import type { HookEvent, Kind } from '../../src/core/hook-event.ts';
import type { Policy } from '../../src/core/policy.ts';
import { decisionRun, samplePolicy } from '../support/decisions.ts';
import { played } from '../support/played.ts';

const START = Date.UTC(2026, 10, 28);
const IN_TIME_MS = 2_500;

/** Every end of a turn notifies, not only that of a long one. */
const policy: Policy = {
  ...samplePolicy,
  routes: [
    ...samplePolicy.routes,
    { name: 'ends', match: { kind: ['turn.done'] }, plan: 'now', also: false },
  ],
};

/** What the person and the agent really do: a turn with waits, then time at the prompt. */
interface Turn {
  readonly workMs: number;
  readonly waits: readonly { readonly ms: number; readonly workMs: number }[];
  /** Esc ends the turn: no hook runs. */
  readonly isCancelled: boolean;
  readonly idleMs: number;
}

/** What happens to one message of a witness on its way. */
interface Way {
  readonly isLost: boolean;
  readonly delayMs: number;
  readonly isTwice: boolean;
}

interface World {
  readonly turns: readonly Turn[];
  readonly hooks: readonly Way[];
  readonly record: { readonly isThere: boolean; readonly looks: readonly Way[] };
  /** Whether the transcript shows which call a wait is about. */
  readonly knowsCalls: boolean;
  /** The wall clock is set by this much in the middle. */
  readonly setMs: number;
}

interface Span {
  readonly kind: Kind;
  readonly from: number;
  readonly to: number;
}

const turn = fc.record({
  workMs: fc.constantFrom(3_000, 8_000, 40_000),
  waits: fc.array(
    fc.record({
      ms: fc.constantFrom(1_200, 4_000, 30_000, 600_000),
      workMs: fc.constantFrom(2_000, 9_000),
    }),
    { maxLength: 3 },
  ),
  isCancelled: fc.boolean(),
  idleMs: fc.constantFrom(6_000, 70_000),
});

function ways(delays: readonly number[], lossy: fc.Arbitrary<boolean>) {
  return fc.array(
    fc.record({ isLost: lossy, delayMs: fc.constantFrom(...delays), isTwice: fc.boolean() }),
    { minLength: 8, maxLength: 8 },
  );
}

const setMs = fc.constantFrom(0, 0, -3_600_000, -19_990, 3_600_000);
const turns = fc.array(turn, { minLength: 1, maxLength: 3 });
const anyHooks = ways([0, 5, 400, 3_000, 20_000], fc.boolean());
const promptHooks = ways([0, 5, 400], fc.constant(false));
const promptLooks = ways([40, 200], fc.constant(false));
const anyLooks = ways([40, 200, 5_000], fc.boolean());

interface Ring {
  readonly kind: Kind;
  readonly at: number;
}

interface Outcome {
  readonly rings: readonly Ring[];
  /** The waits and ends of turns that should notify a person. */
  readonly spans: readonly Span[];
  readonly endState: string | undefined;
}

/** One thing after the other: hooks as they arrive, and looks at the record. */
function play({ turns: real, hooks, record, knowsCalls, setMs: step }: World): Outcome {
  const run = decisionRun(policy);
  const rings: Ring[] = [];
  const spans: Span[] = [];
  const queue: { readonly at: number; readonly work: (at: number) => void }[] = [];
  const statements: {
    readonly at: number;
    readonly state: AgentStatement['state'];
    readonly kind: Kind;
  }[] = [];
  let time = 0;
  let sent = 0;

  // Not between the hook and the statement about one moment.
  const half = real.reduce((sum, { workMs, idleMs }) => sum + workMs + idleMs, 0) / 2 + 150;
  const wall = (at: number): number => START + at + (at > half ? step : 0);

  function feed(at: number, fields: Partial<HookEvent>, duplicateOf?: string): void {
    const receivedAt = wall(at);
    const effects = run.feed(
      { sessionKey: 'claude:s1', sessionId: 's1', receivedAt, ...fields },
      duplicateOf === undefined ? {} : { duplicateOf },
    );
    for (const { channel } of effects.deliveries)
      if (channel === 'desktop') rings.push({ kind: fields.kind ?? 'activity', at });
  }

  function hook(kind: Kind, event: string, subject: string | null = null): void {
    const way = hooks[sent++ % hooks.length]!;
    if (way.isLost) return;
    const id = `hook-${sent}`;
    const ran = time;
    const fields = { id, kind, event, subject, at: wall(ran), facts: { ppid: '7' } };
    const arrive = (at: number): void => feed(at, { ...fields, at: Math.min(fields.at, wall(at)) });
    // A hook from before the clock was set back seems to be a new one.
    const delayMs = step < 0 ? Math.min(way.delayMs, 400) : way.delayMs;
    queue.push({ at: ran + delayMs, work: arrive });
    if (!way.isTwice) return;
    queue.push({
      at: ran + delayMs + 50,
      work: (at) => feed(at, { ...fields, id: `${id}-2` }, id),
    });
  }

  function says(state: AgentStatement['state'], kind: Kind): void {
    statements.push({ at: time + 100, state, kind });
  }

  let call = 0;
  for (const { workMs, waits, isCancelled, idleMs } of real) {
    hook('prompt', 'UserPromptSubmit');
    says('working', 'prompt');
    time += workMs;
    for (const wait of waits) {
      call += 1;
      hook('needs.permission', 'PermissionRequest', `call ${call}`);
      says('waiting', 'needs.permission');
      spans.push({ kind: 'needs.permission', from: time, to: time + wait.ms });
      time += wait.ms;
      says('working', 'tool.done');
      time += 500;
      hook('tool.done', 'PostToolUse', `call ${call}`);
      time += wait.workMs;
    }
    if (!isCancelled) {
      hook('turn.done', 'Stop');
      spans.push({ kind: 'turn.done', from: time, to: time + idleMs });
    }
    says('idle', isCancelled ? 'turn.interrupted' : 'turn.done');
    time += idleMs;
  }

  let firstAt = 0;
  let last: (typeof statements)[number] | undefined;
  const settled = new Set<object>();
  const known = new Set<string>();
  function look(at: number): void {
    const now = statements.findLast((one) => one.at <= at);
    if (now === undefined || settled.has(now)) return;
    const since = wall(now.at);
    if (now !== last) firstAt = at - Math.max(0, wall(at) - since);
    last = now;
    const statement: AgentStatement = { state: now.state, since, waitingFor: null };
    const session = run.session();
    const judged: Judgement = judgeStatement(session, statement, {
      now: wall(at),
      ageMs: at - firstAt,
    });
    if (judged.type === 'wait') queue.push({ at: at + judged.ms, work: look });
    else settled.add(now);
    if (judged.type !== 'raise' || known.has(seenFact(statement))) return;
    known.add(seenFact(statement));
    const kind = {
      answered: 'tool.done',
      turn: 'prompt',
      present: 'session.start',
      ended: 'session.end',
      waiting: now.kind,
      end: now.kind,
    } as const;
    feed(at, {
      id: `seen-${since}`,
      kind: kind[judged.as],
      event: 'Seen',
      at: Math.min(wall(at), Math.max(since, session?.stateSince ?? 0)),
      subject:
        now.state === 'waiting'
          ? knowsCalls
            ? `call ${callAt(statements, now)}`
            : `at ${since}`
          : null,
      facts: { ...(session?.facts.ppid !== undefined && { ppid: '7' }), seen: seenFact(statement) },
    });
  }
  if (record.isThere) {
    for (const [index, { at }] of statements.entries()) {
      const way = record.looks[index % record.looks.length]!;
      if (!way.isLost) queue.push({ at: at + way.delayMs, work: look });
      if (way.isTwice) queue.push({ at: at + way.delayMs + 1_000, work: look });
    }
    // The beats of the daemon.
    for (let at = 0; at < time; at += 5_000) queue.push({ at, work: look });
  }

  for (;;) {
    queue.sort((a, b) => a.at - b.at);
    const next = queue.shift();
    if (next === undefined || next.at > time) break;
    next.work(next.at);
  }
  return { rings, spans, endState: run.session()?.state };
}

function callAt(statements: readonly { readonly state: string }[], one: object): number {
  const waits = statements.filter(({ state }) => state === 'waiting');
  return waits.findIndex((wait) => wait === one) + 1;
}

function ringsIn({ kind, from, to }: Span, rings: readonly Ring[]): readonly Ring[] {
  return rings.filter((ring) => ring.kind === kind && ring.at >= from && ring.at < to);
}

describe('judgeStatement() and joinWitness()', () => {
  test('each wait and each end of a turn notifies once, whatever happens to the hooks, while the record is read', () => {
    fc.assert(
      fc.property(
        fc.record({
          turns,
          hooks: anyHooks,
          record: fc.record({ isThere: fc.constant(true), looks: promptLooks }),
          knowsCalls: fc.boolean(),
          setMs,
        }),
        (world) => {
          const { rings, spans, endState } = play(world);
          assert.equal(endState, 'done', 'The newer proof has the last word');
          let counted = 0;
          for (const span of spans) {
            const own = ringsIn(span, rings);
            counted += own.length;
            const needed = span.to - span.from > IN_TIME_MS ? 1 : own.length;
            assert.ok(own.length <= 1 && own.length === needed, JSON.stringify({ span, rings }));
            const late = own.find(({ at }) => at > span.from + IN_TIME_MS);
            assert.equal(late, undefined, JSON.stringify({ span, rings }));
          }
          assert.equal(
            counted,
            rings.length,
            `After an answer: ${JSON.stringify({ spans, rings })}`,
          );
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('hooks alone notify as before, and a record that is read late or seldom adds nothing twice', () => {
    fc.assert(
      fc.property(
        fc.record({
          turns,
          hooks: promptHooks,
          record: fc.record({ isThere: fc.boolean(), looks: anyLooks }),
          knowsCalls: fc.boolean(),
          setMs,
        }),
        (world) => {
          const { rings, spans } = play(world);
          for (const span of spans) {
            const own = ringsIn(span, rings);
            assert.equal(own.length, 1, JSON.stringify({ span, rings }));
            // A hook after the clock was set back may seem to be an old one: then the record has the word.
            const mostMs = world.setMs < 0 ? 10_000 : IN_TIME_MS;
            assert.ok(own[0]!.at <= span.from + mostMs, JSON.stringify({ span, rings }));
          }
          assert.equal(rings.length, spans.length);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('whatever is lost of both, no wait notifies twice', () => {
    fc.assert(
      fc.property(
        fc.record({
          turns,
          hooks: ways([0, 400], fc.boolean()),
          record: fc.record({ isThere: fc.boolean(), looks: anyLooks }),
          knowsCalls: fc.boolean(),
          setMs,
        }),
        (world) => {
          const { rings, spans } = play(world);
          for (const span of spans)
            assert.ok(ringsIn(span, rings).length <= 1, JSON.stringify({ span, rings }));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('an Esc ends the working state, although no hook runs', () => {
    fc.assert(
      fc.property(fc.boolean(), setMs, (knowsCalls, byMs) => {
        const way = { isLost: false, delayMs: 40, isTwice: false };
        const cancelled = { workMs: 8_000, waits: [], isCancelled: true, idleMs: 6_000 };
        const world = { turns: [cancelled], hooks: [way], knowsCalls, setMs: byMs };

        const { rings, endState } = play({ ...world, record: { isThere: true, looks: [way] } });

        assert.deepEqual({ rings, endState }, { rings: [], endState: 'done' });
      }),
    );
  });

  test('the wait of a subagent notifies once while the main conversation pauses or works', async () => {
    const seen = { seen: `waiting ${Date.UTC(2026, 0, 5, 12, 0, 2)}` };
    const statement = {
      status: 'needs.permission',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
    };
    const asks = {
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      agent_id: 'a',
      agent_type: 'x',
    };
    for (const [event, fields] of [
      ['Stop', { background_tasks: [{ id: 'a' }] }],
      ['PostToolUse', { tool_name: 'Read', tool_input: { file_path: '/a' } }],
    ] as const) {
      await using line = await played({
        agent: 'claude',
        sent: [
          [0, 'UserPromptSubmit', { prompt: 'Test it' }],
          [2, 'PermissionRequest', asks],
          [2.1, event, fields],
          [2.2, 'SeenWaiting', statement, seen],
        ],
      });

      await line.wantNone(2.3, 60);
      assert.deepEqual(line.sent(), ['desktop@2', 'log@2'], event);
    }
  });
});
