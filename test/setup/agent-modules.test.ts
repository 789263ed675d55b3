import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { decodePayload } from '../../src/agents/decode.ts';
import { dialects } from '../../src/agents/registry.ts';
import { hookFormats } from '../../src/setup/hook-formats.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

type Handler = (event: object, context?: object) => unknown;

/** The default export of our module for an agent, with a hook that writes down what it is given. */
async function loaded(agent: 'pi' | 'cline' | 'amp') {
  const directory = await temporaryDirectory();
  const hook = join(directory.path, 'hookbell-hook');
  const log = join(directory.path, 'log');
  await writeFile(hook, `#!/bin/sh\npayload=$(cat)\nprintf '%s\\n' "$payload" >>'${log}'\n`);
  await chmod(hook, 0o755);
  const [registration] = dialects[agent].registrations;
  const shape = registration?.files[0]?.shape;
  assert.ok(registration !== undefined && shape !== undefined);
  const edited = hookFormats[shape].register(null, registration, hook);
  assert.ok(edited.ok);
  const file = join(directory.path, 'hookbell.mjs');
  await writeFile(file, edited.text);
  const linesOf = (): readonly string[] =>
    existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [];
  const module: { readonly default: unknown } = await import(pathToFileURL(file).href);
  return {
    module: module.default,
    /** What the daemon makes of the hook's inputs, once it has received `count`. */
    async events(count: number) {
      await until(() => linesOf().length >= count);
      return linesOf().map((line) => {
        const decoded = decodePayload({ payload: Buffer.from(line), facts: { agent } });
        assert.ok(decoded.ok);
        const { kind, message, asked, subagent, sessionId, project } = decoded.event;
        return { kind, message, asked: asked?.text ?? null, subagent, sessionId, project };
      });
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

async function pi() {
  const { module, ...rest } = await loaded('pi');
  const handlers = new Map<string, Handler>();
  assert.ok(typeof module === 'function');
  module({ on: (name: string, handler: Handler) => handlers.set(name, handler) });
  const sessionManager = { getSessionId: () => 's', getSessionName: () => undefined };
  const context = { sessionManager, cwd: '/home/dev/shop' };
  return {
    ...rest,
    send: (name: string, event: object) => handlers.get(name)?.(event, context),
  };
}

interface ClinePlugin {
  readonly setup: Handler;
  readonly hooks: Readonly<Record<string, Handler>>;
}

async function cline() {
  const { module, ...rest } = await loaded('cline');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own module
  const { setup, hooks } = module as ClinePlugin;
  setup({}, { session: { sessionId: 's' }, workspaceInfo: { rootPath: '/home/dev/shop' } });
  const snapshot = { agentId: 'a', parentAgentId: null, conversationId: 'c', messages: [] };
  return {
    ...rest,
    send: (name: string, event: object) => hooks[name]?.({ snapshot, ...event }),
  };
}

function call(toolCallId: string) {
  return { toolCallId, toolName: 'run_commands' };
}

test("Pi: a turn's failure and words are those of its last message, and an abort is an interruption", async () => {
  await using agent = await pi();
  const spoken = { role: 'assistant', content: [{ type: 'text', text: 'Done' }] };

  agent.send('before_agent_start', { messageType: 'user', prompt: 'Go on' });
  agent.send('agent_end', { messages: [{ role: 'user' }, spoken, { role: 'toolResult' }] });
  agent.send('agent_settled', { aborted: false });
  agent.send('agent_end', {
    messages: [{ role: 'assistant', stopReason: 'error', errorMessage: 'Too many requests' }],
  });
  agent.send('agent_settled', {});
  agent.send('agent_settled', { aborted: true });

  const events = await agent.events(4);
  assert.deepEqual(
    events.map(({ kind, message }) => [kind, message]),
    [
      ['prompt', 'Go on'],
      ['turn.done', 'Done'],
      ['turn.failed', 'Too many requests'],
      ['turn.interrupted', 'Too many requests'],
    ],
  );
  assert.ok(events.every(({ sessionId, project }) => sessionId === 's' && project === 'shop'));
});

test('Pi: a dialog waits, and the end of the session waits until everything is handed over', async () => {
  await using agent = await pi();

  agent.send('ui_prompt_start', { kind: 'confirm', title: 'Run "rm -r dist"?' });
  agent.send('ui_prompt_end', {});
  await agent.send('session_shutdown', { reason: 'quit' });

  const kinds = (await agent.events(0)).map(({ kind, message }) => [kind, message]);
  assert.deepEqual(kinds, [
    ['needs.input', 'Run "rm -r dist"?'],
    ['tool.done', null],
    ['session.end', null],
  ]);
});

test('Cline: a call that does not start waits for a permission; one that starts does not', async () => {
  await using agent = await cline();
  const input = { commands: ['npm publish', 'git push'] };

  agent.send('beforeTool', { toolCall: call('started'), input: { commands: ['ls'] } });
  agent.send('onEvent', { type: 'tool-started', toolCall: call('started') });
  agent.send('beforeTool', { toolCall: call('waiting'), input });
  await agent.events(1);
  agent.send('afterTool', { toolCall: call('waiting'), input });

  assert.deepEqual(
    (await agent.events(2)).map(({ kind, asked }) => [kind, asked]),
    [
      ['needs.permission', 'npm publish\ngit push'],
      ['tool.done', null],
    ],
  );
});

test('Cline: a question, a subagent, and the ends of turns', async () => {
  await using agent = await cline();
  const snapshot = { agentId: 'b', parentAgentId: 'a', conversationId: 'd' };

  agent.send('beforeRun', {
    snapshot: {
      ...snapshot,
      parentAgentId: null,
      messages: [{ role: 'user', content: '<user_input mode="act">Go on</user_input>' }],
    },
  });
  agent.send('beforeTool', {
    toolCall: { toolCallId: 'q', toolName: 'ask_question' },
    input: { question: 'Which database?', options: ['SQLite', 'Postgres'] },
  });
  agent.send('afterRun', { snapshot, result: { status: 'completed', outputText: 'Looked' } });
  agent.send('afterRun', { result: { status: 'failed', error: new Error('No credits') } });
  agent.send('afterRun', { result: { status: 'aborted', outputText: '' } });

  assert.deepEqual(
    (await agent.events(5)).map(({ kind, message, subagent }) => [kind, message, subagent]),
    [
      ['prompt', 'Go on', false],
      ['needs.input', 'Which database?', false],
      ['subagent.done', 'Looked', true],
      ['turn.failed', 'No credits', false],
      ['turn.interrupted', null, false],
    ],
  );
});

test('the plugin of Amp passes turns and how they end, and returns nothing that changes them', async () => {
  await using plugin = await loaded('amp');
  const { module } = plugin;
  const handlers = new Map<string, Handler>();
  assert.ok(typeof module === 'function');
  module({
    on: (name: string, handler: Handler) => handlers.set(name, handler),
    system: { workspaceRoot: 'file:///home/dev/shop' },
    helpers: { filePathFromURI: () => '/home/dev/shop' },
  });
  const send = (name: string, event: object) =>
    handlers.get(name)?.({ thread: { id: 's' }, ...event });
  const words = { role: 'assistant', content: [{ type: 'text', text: 'It is written' }] };

  send('session.start', {});
  assert.deepEqual(send('agent.start', { message: 'Write it' }), {});
  const results = [
    send('tool.result', { tool: 'Bash', toolUseID: 't', input: { cmd: 'ls' }, status: 'done' }),
    send('agent.end', { status: 'done', messages: [words] }),
    send('agent.end', { status: 'error', messages: [] }),
    send('agent.end', { status: 'cancelled', messages: [] }),
  ];

  const told = await plugin.events(6);
  assert.deepEqual(results, [undefined, undefined, undefined, undefined]);
  assert.deepEqual(
    told.map(({ kind }) => kind),
    ['session.start', 'prompt', 'tool.done', 'turn.done', 'turn.failed', 'turn.interrupted'],
  );
  assert.deepEqual(
    [told[3]?.message, told[3]?.sessionId, told[3]?.project],
    ['It is written', 's', 'shop'],
  );
});
