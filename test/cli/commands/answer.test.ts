import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type {
  AskedQuestionView,
  RecordedQuestionView,
} from '../../../src/control/contract-views.ts';
import type { SessionView } from '../../../src/control/contract.ts';
import { programFile } from '../../../src/platform/program-files.ts';
import { shellWord } from '../../../src/text/escape.ts';
import { type CommandLine, commandLine } from '../../support/command-line.ts';
import { hostileText, sampleSessionView } from '../../support/sample-views.ts';
import { needs } from '../../support/system-part.ts';
import { typedCommand } from '../../support/typed-command.ts';

function asked(fields: Partial<AskedQuestionView> = {}): AskedQuestionView {
  return {
    id: '0190a5e0-0000-7000-8000-000000000001',
    session: 'session-a',
    agent: 'claude',
    subagent: false,
    project: 'shop',
    cwd: '/home/dev/shop',
    tool: 'Bash',
    state: 'held',
    since: '2026-03-01T10:00:00.000Z',
    until: '2026-03-01T11:00:00.000Z',
    choices: ['allow', 'deny'],
    requestHash: 'a'.repeat(64),
    text: 'Bash\n  command: make',
    asks: [],
    ...fields,
  };
}

const colours = { text: 'Which colours?', options: ['red', 'green', 'blue'], several: true };
const name = { text: 'Which name?', options: [], several: false };
const labels = { options: ['small', 'large'], descriptions: ['', 'dear'] };
const size = { ...name, ...labels, text: 'Which size?' };

/** The daemon has these requests, and records the answers to them. */
async function serveQuestions(
  cli: CommandLine,
  questions: readonly AskedQuestionView[],
  given: { readonly accepted: boolean; readonly reason: string | null } = {
    accepted: true,
    reason: null,
  },
  waiting: () => readonly SessionView[] = () => [],
): Promise<Record<string, unknown>[]> {
  const bodies: Record<string, unknown>[] = [];
  await cli.serve({
    'GET /v1/questions': () => Promise.resolve(questions),
    'GET /v1/sessions': () => Promise.resolve(waiting()),
    'POST /v1/caller': () => Promise.resolve({ id: 'proof', path: import.meta.filename }),
    'POST /v1/answer': ({ body }) => {
      bodies.push({ ...Object(body) });
      return Promise.resolve(given);
    },
  });
  return bodies;
}

/** The command in a terminal, at which these lines are typed when something is shown. */
async function typedAt(
  cli: CommandLine,
  words: readonly string[],
  ...lines: readonly (readonly [shown: string, typed: string])[]
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const line = [process.execPath, programFile('commandLine'), ...words].map(shellWord).join(' ');
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: cli.home,
    HOOKBELL_STATE_DIR: cli.paths.state,
    TZ: 'UTC',
    NO_COLOR: '1',
  };
  await using command = typedCommand(line, env);
  for (const [shown, typed] of lines) {
    await command.shown(shown);
    command.type(typed);
  }
  return await command.ended();
}

describe('the commands that decide a request', () => {
  for (const words of [['allow'], ['deny', 'No'], ['answer']]) {
    test(`"${words.join(' ')}" needs a terminal, and has no JSON`, async () => {
      await using cli = await commandLine();
      const bodies = await serveQuestions(cli, [asked()]);

      const piped = await cli.run(words, { input: 'y\n' });
      const json = await cli.run([...words, '--json']);

      assert.equal(piped.code, 1);
      assert.match(
        piped.stderr,
        /standard input is not a terminal\n {2}Run the command in your own/,
      );
      assert.equal(json.code, 2);
      assert.match(json.stderr, /"--json" cannot be used with a command that prompts/);
      assert.deepEqual(bodies, []);
    });
  }

  test('"answer --list" shows how the latest requests were decided', async () => {
    await using cli = await commandLine();
    const row: RecordedQuestionView = {
      id: '0190a5e0-0000-7000-8000-000000000001',
      session: 'session-a',
      agent: 'claude',
      tool: 'Bash',
      state: 'confirmed',
      since: '2026-03-01T10:00:00.000Z',
      outcome: 'Allowed at 10:01 by me (the command line)',
    };
    const other = { ...row, id: '1190a5e0-0000-7000-8000-000000000001', tool: null };
    let answers: readonly RecordedQuestionView[] = [];
    await cli.serve({ 'GET /v1/answers': () => Promise.resolve(answers) });

    const none = await cli.run(['answer', '--list']);
    answers = [row, { ...other, state: 'released', outcome: 'Answered in the terminal at 10:02' }];
    const some = await cli.run(['answer', '--list']);
    const json = await cli.run(['answer', '--list', '--json']);

    assert.deepEqual([none.stdout, none.stderr], ['', 'No request has been held for an answer\n']);
    assert.match(
      some.stdout,
      /^0190\S* +\d+ d ago +claude +Bash +confirmed +Allowed at 10:01 by me/m,
    );
    assert.match(
      some.stdout,
      /^1190\S* +\d+ d ago +claude +- +released +Answered in the terminal/m,
    );
    assert.deepEqual(JSON.parse(json.stdout), answers);
  });
});

describe('a person at a terminal', { skip: needs('script'), timeout: 120_000 }, () => {
  test('allows what was shown, for the session with --remember', async () => {
    for (const [words, choice] of [
      [['allow'], 'allow'],
      [['allow', '--remember', 'session'], 'allow-session'],
      [['allow', '--remember', '0190'], 'allow-session'],
    ] as const) {
      await using cli = await commandLine();
      const question = asked({ choices: ['allow', 'allow-session', 'deny'] });
      const bodies = await serveQuestions(cli, [question]);

      const { code, screen } = await typedAt(cli, words, ['Allow this?', 'YES\r']);

      assert.equal(code, 0, screen);
      assert.match(screen, /claude in shop \(.*shop\)\s+Bash\s+command: make[^]*Allowed: /);
      const [body] = bodies;
      assert.deepEqual(
        [body?.['choice'], body?.['question'], body?.['requestHash']],
        [choice, question.id, question.requestHash],
      );
    }
  });

  for (const { name: about, question, said } of [
    {
      name: 'cannot be shown in full',
      question: asked({
        choices: ['deny'],
        subagent: true,
        project: null,
        cwd: null,
        text: null,
        tool: null,
      }),
      said: /a subagent of claude in - \(unknown directory\)\s+A request: it cannot be shown in full here\s+.*Cannot allow the request: it cannot be shown in full here, or.*\s+Answer in the agent's terminal, or run "hookbell deny"/,
    },
    {
      name: 'is a question',
      question: asked({ choices: ['answer', 'deny'], text: null, asks: [size] }),
      said: /claude in shop \(\/home\/dev\/shop\)\s+Which size\?\s+1 small\s+2 large: dear\s+.*Cannot allow the request: it asks a question\s+Run "hookbell answer"/,
    },
  ]) {
    test(`cannot allow a request that ${about}`, async () => {
      await using cli = await commandLine();
      const bodies = await serveQuestions(cli, [question]);

      const { code, screen } = await typedAt(cli, ['allow']);

      assert.equal(code, 1, screen);
      assert.match(screen, said);
      assert.deepEqual(bodies, []);
    });
  }

  test('denies without words, and sees why an answer came too late', async () => {
    for (const [given, code, said] of [
      [{ accepted: true, reason: null }, 0, 'Denied: the answer was sent to claude'],
      [{ accepted: false, reason: 'Answered in the terminal' }, 1, 'Not sent: Answered in the'],
      [{ accepted: false, reason: null }, 1, 'Not sent: the request is over'],
    ] as const) {
      await using cli = await commandLine();
      const bodies = await serveQuestions(cli, [asked()], given);

      const ended = await typedAt(cli, ['deny']);

      assert.equal(ended.code, code, ended.screen);
      assert.ok(ended.screen.includes(said), ended.screen);
      assert.deepEqual([bodies[0]?.['choice'], bodies[0]?.['words']], ['deny', null]);
    }
  });

  test('answers questions by number, by several numbers, or with text', async () => {
    await using cli = await commandLine();
    const question = asked({ choices: ['answer', 'deny'], asks: [colours, size, name] });
    const bodies = await serveQuestions(cli, [question]);

    const { code, screen } = await typedAt(
      cli,
      ['answer'],
      ['Numbers separated by commas, or text:', '1, 3\r'],
      ['Number or text:', '2\r'],
      ['Text:', 'Ada\r'],
    );

    assert.equal(code, 0, screen);
    assert.match(screen, /Which colours\?\s+1 red\s+2 green\s+3 blue[^]*2 large: dear\s/);
    assert.match(screen, /Answered: the answer was sent to claude/);
    assert.deepEqual(bodies[0]?.['answers'], {
      'Which colours?': 'red, blue',
      'Which size?': 'large',
      'Which name?': 'Ada',
    });
  });

  test('is asked again after a number that no option has, and leaves a question out with an empty line', async () => {
    await using cli = await commandLine();
    const question = asked({ choices: ['answer', 'deny'], asks: [size, colours, name] });
    const bodies = await serveQuestions(cli, [question]);

    const { code, screen } = await typedAt(
      cli,
      ['answer'],
      ['Number or text:', '3\r'],
      ['"3" is not a number from 1 to 2', '1, 2\r'],
      ['"1, 2" is not a number from 1 to 2', '0\r'],
      ['"0" is not a number from 1 to 2', '2.\r'],
      ['Numbers separated by commas, or text:', '1 3\r'],
      ['"1 3" is not a list of numbers from 1 to 3', '1, purple\r'],
      ['Text:', '\r'],
    );

    assert.equal(code, 0, screen);
    assert.deepEqual(bodies[0]?.['answers'], {
      'Which size?': 'large',
      'Which colours?': '1, purple',
    });
  });

  test('chooses options that are numbers by letters, and may type one of them', async () => {
    await using cli = await commandLine();
    const many = { text: 'How many?', options: ['5', '3', 'more'], several: false };
    const pages = { ...many, text: 'How many pages?' };
    const bodies = await serveQuestions(cli, [
      asked({ choices: ['answer', 'deny'], asks: [many, pages] }),
    ]);

    const { code, screen } = await typedAt(
      cli,
      ['answer'],
      ['Letter or text:', 'b\r'],
      ['Letter or text:', '5\r'],
    );

    assert.equal(code, 0, screen);
    assert.match(screen, /How many\?\s+a 5\s+b 3\s+c more/);
    assert.deepEqual(bodies[0]?.['answers'], { 'How many?': '3', 'How many pages?': '5' });
  });

  test('who gives no answer, or ends the input, has decided nothing', async () => {
    await using cli = await commandLine();
    const question = asked({ choices: ['answer', 'deny'], asks: [name] });
    const bodies = await serveQuestions(cli, [question]);

    const empty = await typedAt(cli, ['answer'], ['Text:', '\r']);
    const ended = await typedAt(cli, ['answer'], ['Text:', '\u0004']);

    for (const { code, screen } of [empty, ended]) {
      assert.equal(code, 1, screen);
      assert.match(screen, /No answer was given/);
    }
    assert.deepEqual(bodies, []);
  });

  test('cannot answer a request that asks no question', async () => {
    await using cli = await commandLine();
    await serveQuestions(cli, [asked()]);

    const { code, screen } = await typedAt(cli, ['answer']);

    assert.equal(code, 1);
    assert.match(screen, /has no question that can be answered here\s+Run "hookbell allow" or/);
  });

  test('picks one of several requests, or names it by its id or its session', async () => {
    await using cli = await commandLine();
    const first = asked({ text: 'Bash\n  command: make\n    | one' });
    const second = asked({
      id: '1190a5e0-0000-7000-8000-000000000001',
      session: 'session-b',
      subagent: true,
      project: null,
      text: null,
      tool: hostileText,
    });
    const third = asked({ ...second, id: '2190a5e0-0000-7000-8000-000000000001', tool: null });
    const over = asked({ id: '3190a5e0-0000-7000-8000-000000000001', state: 'answered' });
    const bodies = await serveQuestions(cli, [first, second, third, over]);

    const picked = await typedAt(
      cli,
      ['deny', 'Not now'],
      ['Which request? [1-3]', '4\r'],
      ['"4" is not a number from 1 to 3', '2\r'],
    );
    const one = await typedAt(cli, ['deny', '219', 'No']);
    const ofSession = await typedAt(cli, ['deny', 'session-a', 'No']);
    const none = await typedAt(cli, ['deny', 'session-b'], ['Which request? [1-2]', '\r']);

    assert.match(picked.screen, /^1 +0190\S* .* claude +shop +Bash: make\s*$/m);
    assert.match(picked.screen, /^2 +1190\S* .* claude \(subagent\) +- +evil/m);
    assert.match(picked.screen, /^3 +2190\S* .* claude \(subagent\) +- +-\s*$/m);
    assert.deepEqual([picked.code, one.code, ofSession.code], [0, 0, 0]);
    assert.equal(none.code, 1, none.screen);
    assert.match(none.screen, /No request was chosen: all stay open/);
    assert.deepEqual(
      bodies.map((body) => [body['question'], body['words']]),
      [
        [second.id, 'Not now'],
        [third.id, 'No'],
        [first.id, 'No'],
      ],
    );
  });

  test('"answer" means only questions, and "allow" only what is not one', async () => {
    await using cli = await commandLine();
    const plan = asked({ tool: 'ExitPlanMode', text: 'ExitPlanMode\n  plan: # Steps' });
    const question = asked({
      id: '1190a5e0-0000-7000-8000-000000000001',
      choices: ['answer', 'deny'],
      asks: [size],
    });
    const bodies = await serveQuestions(cli, [plan, question]);

    const answer = await typedAt(cli, ['answer'], ['Number or text:', '1\r']);
    const allow = await typedAt(cli, ['allow'], ['Allow this?', 'y\r']);

    assert.deepEqual([answer.code, allow.code], [0, 0], answer.screen + allow.screen);
    assert.deepEqual(
      bodies.map((body) => body['question']),
      [question.id, plan.id],
    );
  });

  for (const [words, said] of [
    [[], /No agent is waiting for an answer/],
    [['s9'], /No waiting session or request has an id that begins with "s9"/],
    [['No'], /begins with "No"\s+.*words follow it: hookbell deny ID "No"/],
  ] as const) {
    test(`"deny ${words.join(' ')}" finds nothing, exit code 6`, async () => {
      await using cli = await commandLine();
      const bodies = await serveQuestions(cli, [asked({ state: 'answered' })]);

      const { code, screen } = await typedAt(cli, ['deny', ...words]);

      assert.equal(code, 6, screen);
      assert.match(screen, said);
      assert.match(screen, /Run "hookbell sessions" to list/);
      assert.deepEqual(bodies, []);
    });
  }

  test('learns how to turn answers on where sessions wait with answers off', async () => {
    await using cli = await commandLine();
    const waiting = [
      sampleSessionView({ agent: 'claude' }),
      sampleSessionView({ agent: 'gemini' }),
    ];
    let sessions = waiting;
    await serveQuestions(cli, [], { accepted: true, reason: null }, () => sessions);

    const off = await typedAt(cli, ['allow']);
    sessions = waiting.slice(1);
    const never = await typedAt(cli, ['answer']);

    assert.deepEqual([off.code, never.code], [6, 6]);
    assert.match(off.screen, /2 sessions wait for you, but cannot be answered from here/);
    assert.match(off.screen, /Answers are off for claude.*run "hookbell install --answers"/);
    assert.match(never.screen, /A session waits for you, but cannot be answered from here/);
    assert.match(never.screen, /Answer in the agent's terminal: .*docs\/answers\.md/);
  });
});
