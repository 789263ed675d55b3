import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { requestHash } from '../../src/agents/support/request.ts';
import type { HookRecord } from '../../src/core/hook-event.ts';
import type { AnswerResult, Question } from '../../src/core/question.ts';
import type { HeldHook } from '../../src/reply/held-hooks.ts';
import { createQuestionDesk, type QuestionDesk } from '../../src/reply/question-desk.ts';
import { sampleEvent } from '../support/sample.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { sampleEffects, temporaryStore } from '../support/store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const RACES = 10_000;
/** Concurrent races, so that they share commits. */
const TOGETHER = 250;

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} };
const input = { command: 'touch x' };
const hash = requestHash('Bash', input, undefined);
const call = { agentId: null, tool: 'Bash', hash: 'call' };

interface Race {
  readonly record: HookRecord;
  readonly fifo: string;
  /** Who decided first, by the rules of Claude Code: its prompt takes one answer and ignores later ones. */
  decided: {
    readonly by: 'terminal' | 'hook';
    readonly allow: boolean;
    readonly at: number;
  } | null;
  readonly lines: string[];
  readonly results: { readonly choice: 'allow' | 'deny'; readonly result: AnswerResult }[];
  isHookAlive: boolean;
  /** Whether the hook printed what it was sent: it may be killed before. */
  hasPrinted: boolean;
}

test(
  'of 10,000 races between answers, the terminal and a dying hook none is decided wrongly',
  { timeout: 300_000 },
  async (t) => {
    const seed = chooseSeed();
    t.diagnostic(`HOOKBELL_SEED=${seed}`);
    const random = seededRandom(seed);
    await using directory = await temporaryDirectory();
    await using opened = await temporaryStore();
    const asks = join(directory.path, 'asks');
    mkdirSync(asks, { mode: 0o700 });
    let clock = 1_700_000_000_000;
    const now = (): number => (clock += 1);
    const races = new Map<string, Race>();
    const pids = new Map<number, Race>();
    const seen = { held: 0, answered: 0, confirmed: 0, overtaken: 0, released: 0 };

    /** The hook of a race: what it prints decides, unless the terminal was first. */
    function hookOf(fifo: string): HeldHook {
      const race = races.get(fifo);
      assert.ok(race);
      let isOpen = true;
      return {
        answer(json) {
          const isTaken = isOpen && race.isHookAlive;
          isOpen = false;
          if (!isTaken) return false;
          race.lines.push(json);
          race.hasPrinted = random() < 0.8;
          race.isHookAlive = false;
          const allow = json.includes('"allow"');
          if (race.hasPrinted) race.decided ??= { by: 'hook', allow, at: now() };
          return true;
        },
        hasPrinted: () => race.hasPrinted,
        stoppedAt: () => null,
        letGo() {
          isOpen = false;
        },
      };
    }

    await using desk = disposable(
      createQuestionDesk({
        store: opened.store,
        paths: { asks },
        uid: process.geteuid?.() ?? null,
        presence: { isPresent: () => Promise.resolve(null) },
        readTail: () => Promise.resolve(null),
        policy: () => ({ expireAfterMs: 1e12, programChannels: [] }),
        holds: () => ({
          agents: { claude: 'open', opencode: 'open', codex: 'away', qwen: 'away' },
          subagents: { claude: 'away' },
        }),
        isRunning: (pid) => pids.get(pid)?.isHookAlive ?? true,
        takeHook: (_, fifo) => hookOf(fifo),
        now,
        log: quiet,
        onAnswered() {},
      }),
    );

    /** After a random number of turns of the event loop. */
    async function soon(most: number): Promise<void> {
      for (let left = Math.floor(random() * most); left > 0; left -= 1) await turn();
    }

    async function answer({ record, results }: Race, choice: 'allow' | 'deny', shown = hash) {
      await soon(12);
      const offered = { choice, by: 'ada', via: 'x', requestHash: shown, words: null, answers: {} };
      const result = await desk.answer(record.event.id, offered);
      if (shown !== hash) assert.equal(result.ok, false, 'an answer to another request was taken');
      results.push({ choice, result });
    }

    async function terminal(race: Race, allow: boolean) {
      await soon(12);
      race.decided ??= { by: 'terminal', allow, at: now() };
      // The agent stops the hook after a no, and reports nothing.
      if (!race.decided.allow && race.decided.by === 'terminal') race.isHookAlive = false;
    }

    async function killed(race: Race) {
      await soon(12);
      race.isHookAlive = false;
    }

    /** The agent goes on: the event that follows the decision, or the end of the turn. */
    async function goOn({ record, decided }: Race) {
      await soon(4);
      const at = now();
      const { sessionKey } = record.event;
      const ran = decided?.allow === true;
      const fields = ran
        ? ({ kind: 'tool.done', call, toolMs: at - decided.at } as const)
        : ({ kind: 'turn.done' } as const);
      const event = { ...sampleEvent({ sessionKey, ...fields }), at };
      desk.take([{ event, payload: Buffer.from('{}') }]);
    }

    async function play(race: Race): Promise<void> {
      const cast = [
        () => answer(race, 'allow'),
        () => answer(race, 'deny'),
        () => answer(race, 'allow', 'another request'),
        () => terminal(race, true),
        () => terminal(race, false),
        () => killed(race),
      ].filter(() => random() < 0.5);
      await Promise.all(cast.map((act) => act()));
      await goOn(race);
    }

    function judge(race: Race, stored: Question): void {
      const { decided, lines, results } = race;
      const story = JSON.stringify({ decided, lines, results, stored });
      const accepted = results.filter(({ result }) => result.ok);
      assert.ok(lines.length <= 1, story);
      assert.ok(accepted.length <= 1, story);
      assert.equal(lines.length, accepted.length, story);
      const [first] = accepted;
      if (first !== undefined) {
        assert.ok(lines[0]?.includes(`"${first.choice}"`), story);
        assert.equal(stored.answer?.choice, first.choice, story);
      }
      const isByHook = decided?.by === 'hook';
      assert.notEqual(stored.state, 'held', story);
      if (stored.state === 'confirmed') {
        // Two that say no agree: the agent does not report which of them it used. A call that ran is what an Allow means, also
        // if its hook was killed, and the terminal allowed it after that.
        const agrees = decided?.allow === (stored.answer?.choice === 'allow');
        assert.ok(isByHook || (agrees && race.hasPrinted !== decided.allow), story);
      } else {
        assert.ok(!isByHook, story);
      }
      if (isByHook) assert.equal(stored.answer?.choice, decided.allow ? 'allow' : 'deny', story);
      seen[stored.state] += 1;
    }

    for (let done = 0; done < RACES; done += TOGETHER) {
      const batch = Array.from({ length: TOGETHER }, (_, index): Race => {
        const number = done + index;
        const waits = {
          fifo: `fifo-${number}`,
          pid: 1_000_000 + number,
          start: '1',
          requestHash: hash,
        };
        const event = sampleEvent({
          kind: 'needs.permission',
          event: 'PermissionRequest',
          sessionKey: `claude:${number}`,
          call,
          waits,
        });
        const payload = Buffer.from(JSON.stringify({ tool_name: 'Bash', tool_input: input }));
        const record = { event: { ...event, at: now() }, payload };
        return {
          record,
          fifo: waits.fifo,
          decided: null,
          lines: [],
          results: [],
          isHookAlive: true,
          hasPrinted: false,
        };
      });
      for (const race of batch) {
        races.set(race.fifo, race);
        pids.set(1_000_000 + Number(race.fifo.slice(5)), race);
      }
      await opened.store.events.accept(
        batch.map(({ record }) => record),
        () => sampleEffects(),
      );
      desk.take(batch.map(({ record }) => record));
      await Promise.all(batch.map(play));
      const stored = new Map<string, Question>();
      const isOver = async (): Promise<boolean> => {
        for (const one of await opened.store.questions.latest(TOGETHER)) stored.set(one.id, one);
        return batch.every(({ record }) => {
          return (stored.get(record.event.id)?.closedAt ?? null) !== null;
        });
      };
      while (!(await isOver())) await turn();
      for (const race of batch) {
        const question = stored.get(race.record.event.id);
        assert.ok(question);
        judge(race, question);
        races.delete(race.fifo);
      }
      pids.clear();
    }

    t.diagnostic(JSON.stringify(seen));
    const { held, ...ends } = seen;
    assert.equal(held, 0);
    assert.ok(Object.values(ends).every((count) => count > RACES / 100));
  },
);

function disposable(desk: QuestionDesk): QuestionDesk & AsyncDisposable {
  return { ...desk, [Symbol.asyncDispose]: () => desk.stop() };
}
