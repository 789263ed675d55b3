import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { completeEvent, wantedTranscript } from '../../src/agents/complete.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { decodedEvent } from '../support/decoded.ts';
import { sampleEvent } from '../support/sample.ts';

const path = '/home/dev/.factory/sessions/s.jsonl';
const stop = { session_id: 's', hook_event_name: 'Stop', message_id: 'end' };
const asks = { session_id: 's', hook_event_name: 'Notification', cwd: '/w' };
const permission = (message: string) => ({
  ...asks,
  notification_type: 'permission_prompt',
  message,
});
const question = { ...asks, message: 'Factory CLI is asking the user 1 question(s)' };

const message = (role: string, content: unknown, fields: object = {}) => ({
  type: 'message',
  id: 'm',
  message: { role, content, ...fields },
});
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
const run = (id: string) => call(id, 'Execute', { command: `npm run ${id}` });
const edit = (id: string) => call(id, 'Edit', { file_path: `/w/${id}.ts` });
const result = (id: string) => message('user', [{ type: 'tool_result', tool_use_id: id }]);

/** The event after its transcript was read, of these lines. */
function completed(payload: object, ...lines: readonly object[]): HookEvent {
  const event = sampleEvent(decodedEvent(payload, { agent: 'droid' }));
  const tail = lines.map((line) => JSON.stringify(line)).join('\n');
  return completeEvent({ event, payload: Buffer.from(JSON.stringify(payload)) }, tail);
}

const isWanted = (fields: Partial<HookEvent>) =>
  wantedTranscript(
    sampleEvent({ agent: 'droid', transcriptPath: path, message: null, asked: null, ...fields }),
  ) !== null;

test('the transcript of droid is wanted for an end without words, and a request without its call', () => {
  const asked = { action: 'run', text: 'ls', options: [] } as const;

  assert.equal(isWanted({ kind: 'turn.done' }), true);
  assert.equal(isWanted({ kind: 'turn.done', message: 'Done' }), false);
  assert.equal(isWanted({ kind: 'turn.failed' }), false);
  for (const kind of ['needs.permission', 'needs.input'] as const) {
    assert.equal(isWanted({ kind }), true);
    assert.equal(isWanted({ kind, message: 'It asks' }), true);
    assert.equal(isWanted({ kind, asked }), false);
  }
});

describe('the end of a turn of droid', () => {
  const end = (role: string, words: unknown, fields: object = {}) => ({
    ...message(role, words, fields),
    id: 'end',
  });
  const forPerson = { visibility: 'user_only' };
  const rows: readonly (readonly [string, readonly object[], string, string | null])[] = [
    [
      'has the words of its message',
      [end('assistant', [text('Done'), text('All pass')])],
      'turn.done',
      'Done\nAll pass',
    ],
    [
      'has the words of a message that is a text',
      [end('assistant', ' Done ')],
      'turn.done',
      'Done',
    ],
    [
      'has the words of the last with its id',
      [end('assistant', 'Old'), end('assistant', 'New'), message('assistant', 'Other')],
      'turn.done',
      'New',
    ],
    ['has no words of another message', [message('assistant', 'Other')], 'turn.done', null],
    ['has no words of a message without any', [end('assistant', [run('1')])], 'turn.done', null],
    [
      'failed by what only the person sees',
      [end('user', 'BYOK Error: 400 {"message":"No model"}\n \nTry another', forPerson)],
      'turn.failed',
      'BYOK Error: 400 No model',
    ],
    ['has not failed by what the person wrote', [end('user', 'Fix the error')], 'turn.done', null],
    [
      'has not failed by what the model hides',
      [end('system', 'Error', forPerson)],
      'turn.done',
      null,
    ],
    [
      'has not failed when it was cancelled',
      [end('user', 'Request cancelled by user', forPerson)],
      'turn.done',
      null,
    ],
  ];
  for (const [name, lines, kind, words] of rows) {
    test(name, () => {
      const event = completed(stop, ...lines);

      assert.deepEqual(
        [event.kind, event.message, event.failed],
        [kind, words, kind === 'turn.failed'],
      );
    });
  }

  test('without an id has no words of a message without one', () => {
    const line = { ...message('assistant', 'Other'), id: undefined };

    assert.equal(completed({ ...stop, message_id: undefined }, line).message, null);
  });
});

describe('a request of droid', () => {
  const two = permission('Factory CLI needs permission to execute 2 tool(s)');
  const one = permission('Factory CLI needs permission to execute 1 tool(s)');
  const rows: readonly (readonly [string, object, readonly object[], string | null])[] = [
    ['is for the only call', one, [message('assistant', [run('a')])], 'npm run a'],
    [
      'is for the calls of the latest message',
      one,
      [message('assistant', [run('a')]), message('assistant', [run('b')])],
      'npm run b',
    ],
    [
      'is for the call without a result',
      one,
      [message('assistant', [run('a'), run('b')]), result('a')],
      'npm run b',
    ],
    [
      'is for what may ask',
      one,
      [message('assistant', [call('r', 'Read', { file_path: 'x' }), run('a')])],
      'npm run a',
    ],
    [
      'counts the others',
      two,
      [message('assistant', [run('a'), run('b')])],
      'npm run a\n(and 1 more call)',
    ],
    [
      'is for commands where edits are allowed',
      one,
      [message('assistant', [edit('e'), run('a')])],
      'npm run a',
    ],
    [
      'is unknown where the number does not fit',
      two,
      [message('assistant', [edit('e'), run('a'), edit('f')])],
      null,
    ],
    [
      'is unknown where every call is over',
      one,
      [message('assistant', [run('a')]), result('a')],
      null,
    ],
    ['is unknown without a call', one, [message('assistant', 'Hm')], null],
  ];
  for (const [name, payload, lines, wanted] of rows) {
    test(name, () => assert.equal(completed(payload, ...lines).asked?.text ?? null, wanted));
  }

  test('names the tool that it does not name', () => {
    const lines = [message('assistant', [run('a')])];

    assert.equal(completed(one, ...lines).tool, 'Execute');
    assert.equal(completed({ ...one, tool_name: 'Shell' }, ...lines).tool, 'Shell');
  });
});

const ask = (questionnaire: unknown, id = '1') => call(id, 'AskUser', { questionnaire });

describe('a question of droid', () => {
  test('is read from its text', () => {
    const lines = [
      '1. [question] Which database? ',
      '[topic] Database',
      '[option] SQLite',
      '[option] Postgres ',
      '2. [question] Which port?',
      '[option] 80',
      '[other] 81',
    ];

    const { asked, kind } = completed(question, message('assistant', [ask(lines.join('\n'))]));

    assert.equal(kind, 'needs.input');
    assert.deepEqual(
      asked?.questions?.map((each) => [each.text, each.options.map(({ label }) => label)]),
      [
        ['Which database?', ['SQLite', 'Postgres']],
        ['Which port?', ['80']],
      ],
    );
  });

  test('is the latest of several calls', () => {
    const calls = [ask('[question] Old?'), ask('[question] New?', '2'), run('a')];

    assert.equal(completed(question, message('assistant', calls)).asked?.text, 'New?');
  });

  test('stays open without a call, without its text, and with an option before any question', () => {
    for (const calls of [[run('a')], [ask(7)], [ask('[option] SQLite')], [ask('What now?')]])
      assert.equal(completed(question, message('assistant', calls)).asked, null);
  });
});
