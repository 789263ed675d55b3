import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { decodePayload } from '../../src/agents/decode.ts';
import { dialects } from '../../src/agents/registry.ts';
import { opencodePlugin } from '../../src/setup/plugins/plugin-format.ts';
import { runProcess } from '../support/run-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const [registration] = dialects.opencode.registrations;
assert.ok(registration);

function textFor(hook: string): string {
  assert.ok(registration);
  const edited = opencodePlugin.register(null, registration, hook);
  assert.ok(edited.ok);
  return edited.text;
}

/** Whole lines alone: the shell opens the file before it writes. */
function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1);
}

/** The plugin as OpenCode would load it, with a hook that writes down what it is given. */
async function loaded() {
  const directory = await temporaryDirectory();
  const hook = join(directory.path, 'hookbell-hook');
  const log = join(directory.path, 'log');
  const gate = join(directory.path, 'gate');
  await runProcess('mkfifo', [gate], { env: { PATH: process.env['PATH'] ?? '' } });
  const script = `#!/bin/sh
payload=$(cat)
case $payload in *behind-the-gate*) read -r _ <'${gate}' ;; esac
printf '%s %s\\n' "$*" "$payload" >>'${log}'
`;
  await writeFile(hook, script);
  await chmod(hook, 0o755);
  const file = join(directory.path, 'hookbell.mjs');
  await writeFile(file, textFor(hook));
  const module: {
    Hookbell: (input: object) => Promise<{ event: (input: object) => Promise<void> }>;
  } = await import(pathToFileURL(file).href);
  const plugin = await module.Hookbell({ directory: '/work' });
  return {
    hook,
    /** Lets the hook go on that was given "behind-the-gate", as soon as it runs. */
    openGate: () => writeFile(gate, '\n'),
    send: (type: string, properties: object) => plugin.event({ event: { type, properties } }),
    /** The hook's inputs, once it has received `count`. */
    async lines(count: number) {
      await until(() => existsSync(log) && linesOf(log).length === count);
      return linesOf(log);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** The event that the daemon makes of what the hook was given, which stands behind its words. */
function decoded(line: string) {
  const payload = Buffer.from(line.slice(line.indexOf('{')));
  const read = decodePayload({ payload, facts: { agent: 'opencode' } });
  assert.ok(read.ok);
  return read.event;
}

describe('the plugin of OpenCode', () => {
  test('hands events to the hook, each prompt once and no messages of OpenCode to itself', async () => {
    await using plugin = await loaded();
    const prompt = { info: { id: 'm', role: 'user', sessionID: 's' } };

    await plugin.send('message.updated', prompt);
    await plugin.send('message.updated', prompt);
    await plugin.send('message.updated', { info: { id: 'n', role: 'assistant' } });
    await plugin.send('message.part.updated', {});
    await plugin.send('session.idle', { sessionID: 'last' });

    const lines = await plugin.lines(2);
    assert.equal(lines.filter((line) => line.includes('"message.updated"')).length, 1);
    const idle = lines.find((line) => line.includes('session.idle')) ?? '';
    assert.ok(idle.startsWith('--agent opencode {'));
    const { agent, kind, sessionId, cwd } = decoded(idle);
    assert.deepEqual([agent, kind, sessionId, cwd], ['opencode', 'turn.done', 'last', '/work']);
  });

  test('hands events over in order although a hook is slow: an interruption is not a finished turn (E17)', async () => {
    await using plugin = await loaded();

    const error = { name: 'MessageAbortedError', data: { message: 'behind-the-gate' } };
    await plugin.send('session.error', { sessionID: 's', error });
    await plugin.send('session.idle', { sessionID: 's' });
    await plugin.openGate();

    const told = (await plugin.lines(2)).map(decoded);
    assert.deepEqual(
      told.map(({ kind }) => kind),
      ['turn.interrupted', 'turn.done'],
    );
  });

  test('reports the question and the end of a subagent in the session that started it', async () => {
    await using plugin = await loaded();

    await plugin.send('session.created', { info: { id: 'child', parentID: 'known' } });
    await plugin.send('session.created', { info: { id: 'grandchild', parentID: 'child' } });
    const prompt = { id: 'm', role: 'user', sessionID: 'child' };
    await plugin.send('message.updated', { info: prompt });
    await plugin.send('permission.asked', { id: 'p', sessionID: 'grandchild' });
    await plugin.lines(1);
    await plugin.send('permission.replied', { requestID: 'p', sessionID: 'grandchild' });
    await plugin.lines(2);
    await plugin.send('session.error', { sessionID: 'grandchild', error: { name: 'Odd' } });
    await plugin.lines(3);
    await plugin.send('session.idle', { sessionID: 'child' });
    await plugin.lines(4);
    await plugin.send('session.deleted', { info: { id: 'child' } });
    await plugin.send('session.idle', { sessionID: 'known' });

    const told = (await plugin.lines(5)).map(decoded);
    assert.deepEqual(
      told.map(({ kind, sessionId, subagent }) => ({ kind, sessionId, subagent })),
      [
        { kind: 'needs.permission', sessionId: 'known', subagent: false },
        { kind: 'tool.done', sessionId: 'known', subagent: false },
        { kind: 'subagent.done', sessionId: 'known', subagent: true },
        { kind: 'subagent.done', sessionId: 'known', subagent: true },
        { kind: 'turn.done', sessionId: 'known', subagent: false },
      ],
    );
  });

  test('adds the last words of the agent to the end of a turn (E9)', async () => {
    await using plugin = await loaded();
    const part = { type: 'text', sessionID: 's', messageID: 'n' };

    await plugin.send('message.updated', { info: { id: 'm', role: 'user', sessionID: 's' } });
    await plugin.lines(1);
    await plugin.send('message.part.updated', { part: { ...part, text: 'All tests pass.' } });
    const prompt = { ...part, messageID: 'm', text: 'Run the tests' };
    await plugin.send('message.part.updated', { part: prompt });
    await plugin.send('message.part.updated', { part: { ...part, type: 'tool' } });
    await plugin.send('session.idle', { sessionID: 's' });
    await plugin.lines(2);
    await plugin.send('session.idle', { sessionID: 's' });

    const ends = (await plugin.lines(3)).slice(1).map(decoded);
    assert.deepEqual(
      ends.map(({ kind, message }) => ({ kind, message })),
      [
        { kind: 'turn.done', message: 'All tests pass.' },
        { kind: 'turn.done', message: null },
      ],
    );
  });

  test('lets OpenCode notice nothing of an odd event or a hook that is gone', async () => {
    await using plugin = await loaded();
    await writeFile(plugin.hook, 'no program');
    await chmod(plugin.hook, 0o600);

    await plugin.send('message.updated', {});
    await plugin.send('session.idle', { sessionID: 's' });
  });
});

describe('opencodePlugin', () => {
  test('refuses a foreign file', () => {
    assert.equal(opencodePlugin.register('export const Mine = 1;\n', registration, '/x').ok, false);
  });

  test('takes a file of an earlier place for its own', () => {
    const edited = opencodePlugin.register(
      textFor('/old/hookbell-hook'),
      registration,
      '/new/hookbell-hook',
    );

    assert.ok(edited.ok && edited.changed);
    assert.equal(edited.text, textFor('/new/hookbell-hook'));
  });
});

/** The plugin with answers: `says` is what hookbell-ask prints, and `response` what OpenCode responds. */
async function answering(says: string, response: { readonly ok: boolean } | Error = { ok: true }) {
  const directory = await temporaryDirectory();
  const [hook, ask, log] = ['hookbell-hook', 'hookbell-ask', 'log'].map((name) =>
    join(directory.path, name),
  );
  assert.ok(hook !== undefined && ask !== undefined && log !== undefined && registration);
  await writeFile(hook, `#!/bin/sh\nprintf '%s\\n' "$(cat)" >>'${log}'\n`);
  await writeFile(
    ask,
    `#!/bin/sh\ncat >/dev/null\n${says === '' ? '' : `printf '%s\\n' '${says}'`}\n`,
  );
  await writeFile(log, '');
  for (const program of [hook, ask]) await chmod(program, 0o755);
  const edited = opencodePlugin.answers?.(textFor(hook), registration, {
    hook: ask,
    words: false,
  });
  assert.ok(edited?.ok);
  const file = join(directory.path, 'hookbell.mjs');
  await writeFile(file, edited.text);
  const posted: object[] = [];
  const client = {
    _client: {
      request({ url, body }: { readonly url: string; readonly body: object }) {
        posted.push({ url, body });
        return response instanceof Error ? Promise.reject(response) : Promise.resolve({ response });
      },
    },
  };
  const module: {
    Hookbell: (input: object) => Promise<{ event: (input: object) => Promise<void> }>;
  } = await import(pathToFileURL(file).href);
  const plugin = await module.Hookbell({ directory: '/work', client });
  return {
    text: edited.text,
    posted,
    send: (type: string, properties: object) => plugin.event({ event: { type, properties } }),
    async told(count: number) {
      await until(() => linesOf(log).length >= count);
      return linesOf(log).map(decoded);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

describe('the plugin of OpenCode with answers', () => {
  const asked = { id: 'per_1', sessionID: 's', permission: 'bash', patterns: ['touch x'] };
  const replied = { requestID: 'per_1', sessionID: 's', reply: 'once' };

  test('passes on what a person decided, and reports that OpenCode took it', async () => {
    await using plugin = await answering('{"reply":"once"}');

    await plugin.send('permission.asked', asked);
    await until(() => plugin.posted.length === 1);
    await plugin.send('permission.replied', replied);

    assert.deepEqual(plugin.posted, [
      { url: '/permission/per_1/reply', body: { reply: 'once', message: undefined } },
    ]);
    const [first, second] = await plugin.told(2);
    assert.equal(second?.tookAnswer, true);
    assert.equal(first?.call?.hash, second.call?.hash);
  });

  test('answers and rejects questions', async () => {
    const question = { id: 'que_1', sessionID: 's', questions: [] };
    await using plugin = await answering('{"answers":[["SQLite"],["a","b"]]}');
    await using rejecting = await answering('{"reject":true}');

    await plugin.send('question.asked', question);
    await rejecting.send('question.asked', question);
    await until(() => plugin.posted.length + rejecting.posted.length === 2);

    const body = { answers: [['SQLite'], ['a', 'b']] };
    assert.deepEqual(plugin.posted, [{ url: '/question/que_1/reply', body }]);
    assert.deepEqual(rejecting.posted, [{ url: '/question/que_1/reject', body: {} }]);
  });

  test('does nothing without a decision, or with anything but a whole one', async () => {
    const odd = [
      '',
      'no JSON',
      '{}',
      '{"reply":"ask"}',
      '{"reply":"reject"}',
      '{"answers":[["x"]]}',
    ];
    for (const says of odd) {
      await using plugin = await answering(says);

      await plugin.send('permission.asked', asked);
      await plugin.send('permission.replied', replied);
      const told = await plugin.told(2);

      assert.deepEqual(plugin.posted, [], says);
      assert.equal(told[1]?.tookAnswer, undefined);
    }
  });

  test('reports an answer that OpenCode refused, whose prompt is open still', async () => {
    for (const response of [{ ok: false }, new Error('no server')]) {
      await using plugin = await answering('{"reply":"once"}', response);

      await plugin.send('permission.asked', asked);
      const [, second] = await plugin.told(2);

      assert.deepEqual([second?.kind, second?.tookAnswer], ['needs.permission', false]);
    }
  });

  test('gives words to a session at rest, and reports the message that has exactly them', async () => {
    await using plugin = await answering('{"prompt":"Go on"}');
    const part = { type: 'text', sessionID: 's', messageID: 'm', text: 'Go on' };

    await plugin.send('session.idle', { sessionID: 's' });
    await until(() => plugin.posted.length === 1);
    await plugin.send('message.updated', { info: { id: 'm', role: 'user', sessionID: 's' } });
    await plugin.send('message.part.updated', { part: { ...part, text: 'Go' } });
    await plugin.send('message.part.updated', { part });
    await plugin.send('message.part.updated', { part });

    const body = { parts: [{ type: 'text', text: 'Go on' }] };
    assert.deepEqual(plugin.posted, [{ url: '/session/s/prompt_async', body }]);
    const told = await plugin.told(3);
    assert.deepEqual(
      told.map(({ kind, tookAnswer }) => [kind, tookAnswer]),
      [
        ['turn.done', undefined],
        ['prompt', undefined],
        ['prompt', true],
      ],
    );
  });

  test('keeps the answers when it is registered again, and has none in a project or after their removal', async () => {
    await using plugin = await answering('');
    assert.ok(registration);
    const { text } = plugin;
    const hook = JSON.parse(/^const hook = (.*);$/m.exec(text)?.[1] ?? '');

    const again = opencodePlugin.register(text, registration, hook);
    const removed = opencodePlugin.answers?.(text, registration, 'remove');

    assert.ok(again.ok && !again.changed);
    const listed = opencodePlugin.list(text);
    assert.deepEqual(listed.ok && listed.asks.map(({ event }) => event), [
      'permission.asked',
      'question.asked',
    ]);
    assert.equal(removed?.ok && removed.text, textFor(hook));
  });
});
