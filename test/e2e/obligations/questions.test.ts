import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { permissionRequest, startAsking } from '../../support/asking-hook.ts';
import { hookbellHome, until } from '../../support/hookbell-home.ts';
import { personAtTerminal } from '../../support/person.ts';
import { chooseSeed, rounds, seededRandom } from '../../support/seeded-random.ts';
import { needs } from '../../support/system-part.ts';
import { type AskedQuestion, judgeQuestions } from './judge-questions.ts';

const troubles = [
  'none',
  'daemon killed',
  'daemon stopped',
  'hook killed',
  'agent killed',
] as const;
const ROUNDS = rounds(8);
/** A person and the trouble come within this of each other, ms. */
const WITHIN_MS = 40;

const well: AskedQuestion = {
  id: 'q',
  choice: 'allow',
  accepted: true,
  printed:
    '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}\n',
  code: 0,
  isUndisturbed: true,
};
const row = {
  id: 'q',
  session: 's',
  agent: 'claude',
  tool: 'Bash',
  state: 'confirmed',
  since: '2026-11-21T10:00:00.000Z',
  outcome: 'Allowed at 12:03 by ada (command line)',
} as const;

describe('judgeQuestions() finds', () => {
  test('nothing where all is well', () => {
    assert.deepEqual(judgeQuestions([well], [row]), []);
    const silent = { ...well, choice: null, accepted: null, printed: '' };
    assert.deepEqual(judgeQuestions([silent], [{ ...row, state: 'released' }]), []);
  });

  const faults: readonly [what: string, AskedQuestion, Partial<typeof row> | object, RegExp][] = [
    [
      'a decision without a person',
      { ...well, choice: null, accepted: null },
      {},
      /without a person/,
    ],
    ['a denial instead of an allow', { ...well, choice: 'deny' }, {}, /instead of "deny"/],
    ['two decisions', { ...well, printed: well.printed.repeat(2) }, {}, /else than one decision/],
    ['half a decision', { ...well, printed: '{"hookSp' }, {}, /else than one decision/],
    ['a refused answer that arrived', { ...well, accepted: false }, {}, /nevertheless/],
    ['an accepted answer that did not', { ...well, printed: '' }, {}, /said nothing/],
    ['an answer that is not confirmed', well, { state: 'answered' }, /not confirmed/],
    ['an open question', { ...well, printed: '', accepted: null }, { state: 'held' }, /open still/],
    ['a hook that failed', { ...well, code: 2 }, {}, /ended with 2/],
  ];
  for (const [what, asked, fields, fault] of faults) {
    test(what, () => {
      assert.match(judgeQuestions([asked], [{ ...row, ...fields }]).join(), fault);
    });
  }

  test('a question that is recorded twice, or not at all', () => {
    assert.match(judgeQuestions([well], [row, row]).join(), /recorded 2 times/);
    assert.match(judgeQuestions([well], []).join(), /recorded 0 times/);
  });
});

test(
  'each question has at most one decision and none without a person, whatever happens to daemon, hook and agent',
  { skip: needs('tmux'), timeout: 300_000 },
  async (t) => {
    const seed = chooseSeed();
    t.diagnostic(`HOOKBELL_SEED=${seed}`);
    const random = seededRandom(seed);
    await using home = await hookbellHome();
    await using person = await personAtTerminal(home);
    const asked: AskedQuestion[] = [];
    const pid = (): Promise<number | null> =>
      home.ask('GET /v1/status').then(
        (status) => status.pid,
        () => null,
      );

    for (let round = 0; round < ROUNDS; round += 1) {
      if ((await pid()) === null) await home.start();
      const daemon = await pid();
      const payload = {
        ...permissionRequest,
        session_id: `session-${round}`,
        tool_input: { command: `touch made-${round}` },
      };
      using asking = startAsking(home, payload);
      const open = () => home.ask('GET /v1/questions').catch(() => []);
      await until(async () => (await open()).length === 1);
      const [question] = await open();
      assert.ok(question);
      const { id, requestHash } = question;
      const trouble = troubles[round % troubles.length] ?? 'none';
      // Of the rounds with trouble, some have no person.
      const choice =
        random() < 0.25 && trouble !== 'none' ? null : random() < 0.5 ? 'allow' : 'deny';
      const atMs = Date.now() + random() * WITHIN_MS;
      const decided =
        choice === null ? null : person.decide({ question: id, requestHash, choice, atMs });
      await delay(random() * WITHIN_MS);
      await cause(trouble, asking, daemon, () => home.killDaemon());
      const result = await decided;
      const { code, printed } = await asking.ended;
      if ((await pid()) === null) await home.start();
      const { tool_input, tool_name, ...common } = payload;
      const ran = { ...common, tool_input, tool_name, tool_response: {}, tool_use_id: `t${round}` };
      if (printed.includes('"allow"')) await home.hook({ ...ran, hook_event_name: 'PostToolUse' });
      await home.hook({ ...common, hook_event_name: 'Stop', stop_hook_active: false });
      await until(async () => (await open()).length === 0);
      const isUndisturbed = (await pid()) === daemon;
      const accepted = result?.accepted ?? null;
      asked.push({ id, choice, accepted, printed, code, isUndisturbed });
    }

    const recorded = await home.ask('GET /v1/answers', { query: { limit: '1000' } });
    assert.deepEqual(judgeQuestions(asked, recorded), []);
    const decidedCount = asked.filter(({ printed }) => printed !== '').length;
    t.diagnostic(`${asked.length} questions, ${decidedCount} decided`);
    assert.ok(decidedCount > 0 && decidedCount < asked.length);
  },
);

async function cause(
  trouble: (typeof troubles)[number],
  { hook, agent }: Pick<ReturnType<typeof startAsking>, 'hook' | 'agent'>,
  daemon: number | null,
  killDaemon: () => Promise<void>,
): Promise<void> {
  switch (trouble) {
    case 'none':
      return;
    case 'daemon killed':
      return killDaemon();
    case 'daemon stopped':
      if (daemon !== null) process.kill(daemon, 'SIGTERM');
      return;
    case 'hook killed':
      hook.kill('SIGKILL');
      return;
    case 'agent killed':
      agent.kill('SIGKILL');
      await once(agent, 'exit');
  }
}
