import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { commandLine } from '../../support/command-line.ts';
import {
  type HookbellHome,
  hookbellHome,
  projectRoot,
  until,
} from '../../support/hookbell-home.ts';
import { personAtTerminal } from '../../support/person.ts';
import { runProcess } from '../../support/run-process.ts';
import { needs } from '../../support/system-part.ts';

const skip = needs('tmux', 'pgrep');

const CONFIG = (home: string) => `channels: { out: { type: file, path: "${home}/out.jsonl" } }
routes: [{ match: {}, notify: out }]
noise: { burst: { at_once: 100 } }
`;

/** A host with the client of the SDK. */
async function openHost({ env, home }: HookbellHome, modern = false) {
  const client = new Client(
    { name: 'shop-agent', version: '1.0.0' },
    modern ? { versionNegotiation: { mode: 'auto' } } : {},
  );
  const args = [join(projectRoot, 'dist/program/cli.js'), 'mcp'];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, cwd: home }),
  );
  const call = async (
    name: string,
    input: Record<string, unknown>,
    options: NonNullable<Parameters<Client['callTool']>[1]> = {},
  ) => {
    const result: CallToolResult = await client.callTool({ name, arguments: input }, options);
    const [first] = result.content;
    return {
      text: first?.type === 'text' ? first.text : '',
      isError: result.isError === true,
      structured: JSON.stringify(result.structuredContent),
    };
  };
  return { client, call, [Symbol.asyncDispose]: () => client.close() };
}

async function openRequest(place: HookbellHome) {
  await until(async () =>
    (await place.ask('GET /v1/questions')).some(({ state }) => state === 'held'),
  );
  const found = (await place.ask('GET /v1/questions')).find(({ state }) => state === 'held');
  assert.ok(found !== undefined);
  return found;
}

async function started() {
  const place = await hookbellHome();
  await place.writeConfig(CONFIG(place.home));
  await place.start();
  return place;
}

describe('hookbell mcp', () => {
  for (const modern of [false, true]) {
    test(`notify tells the person as the agent, and returns where it was sent (${modern ? 'newest protocol' : 'initialize'})`, async () => {
      await using place = await started();
      await using host = await openHost(place, modern);

      const { tools } = await host.client.listTools();
      const sent = await host.call('notify', { title: 'Backup', text: 'It is done' });

      assert.deepEqual(tools.map(({ name }) => name).toSorted(), ['ask', 'notify']);
      assert.match(sent.text, /^out: sent in \d+ ms\ninbox: sent in \d+ ms$/);
      const shown: { title: string; body: string } = JSON.parse(
        await readFile(`${place.home}/out.jsonl`, 'utf8'),
      );
      assert.equal(shown.title, 'home has a message for you · Backup');
      assert.equal(shown.body, 'It is done\nshop-agent');
    });
  }

  test('ask returns the answer of a person, who is offered no permission', { skip }, async () => {
    await using place = await started();
    await using host = await openHost(place);
    await using person = await personAtTerminal(place);
    let progress = 0;

    const asking = host.call(
      'ask',
      { question: 'Which bucket?', options: ['staging', 'production'] },
      { onprogress: () => (progress += 1) },
    );
    const request = await openRequest(place);
    const [second] = await Promise.all([
      host.call('ask', { question: 'And which region?' }),
      until(() => progress > 0),
    ]);
    const allowed = await person.decide({ ...of(request), choice: 'allow' });
    const decided = await person.decide({
      ...of(request),
      choice: 'answer',
      answers: { 'Which bucket?': 'staging' },
    });

    assert.deepEqual(request.choices, ['deny', 'answer']);
    assert.equal(request.agent, 'program');
    assert.equal(allowed.accepted, false);
    assert.equal(decided.accepted, true);
    const { structured, text } = await asking;
    assert.match(text, /^The person answered: staging/);
    assert.match(structured, /^\{"state":"answered","answer":"staging","id":"\w{12}"\}$/);
    assert.match(
      second.text,
      /^Not asked: A question of this session is still open: "Which bucket\?"/,
    );
    await until(async () => (await place.ask('GET /v1/answers'))[0]?.state === 'confirmed');
    assert.deepEqual(await place.ask('GET /v1/alerts'), []);
    await until(async () => (await place.ask('GET /v1/sessions'))[0]?.state === 'ended');
  });

  test('a process that the host has started cannot answer its question', { skip }, async () => {
    await using place = await started();
    await using person = await personAtTerminal(place);
    const found = await runProcess('pgrep', ['-f', `person-at-terminal.js ${place.home}`], {
      env: place.env,
    });
    const pid = Number(found.stdout.split('\n')[0]);
    const wanted = { again: false, session: 'mcp-00000000', host: null, cwd: place.home, pid };
    const question = { id: 'q', question: 'Go on?', options: [], forMs: 60_000, waitMs: 0 };
    await place.ask('POST /v1/ask', { body: { ...wanted, ...question } });
    const request = await openRequest(place);

    const answers = { 'Go on?': 'yes' };
    const decided = await person.decide({ ...of(request), choice: 'answer', answers });

    assert.match(decided.reason ?? '', /an agent runs it/);
  });

  test(
    'an answer that was given while the connection was broken is returned when it is asked again',
    { skip },
    async () => {
      await using place = await started();
      await using person = await personAtTerminal(place);
      const first = await openHost(place);
      const lost = first.call('ask', { question: 'Which port?', id: 'port' });
      const request = await openRequest(place);
      await first.client.close();
      await assert.rejects(lost);
      const decided = await person.decide({
        ...of(request),
        choice: 'answer',
        answers: { 'Which port?': '8080' },
      });

      await using again = await openHost(place);
      const answer = await again.call('ask', { question: 'Which port?', id: 'port' });

      assert.equal(decided.accepted, true);
      assert.match(answer.text, /^The person answered: 8080/);
    },
  );

  test('a question that is cancelled or too old is withdrawn everywhere', async () => {
    await using place = await started();
    await using host = await openHost(place);
    const stop = new AbortController();

    const asking = host.call('ask', { question: 'Which port?' }, { signal: stop.signal });
    await openRequest(place);
    stop.abort('the user pressed Esc');
    await assert.rejects(asking);
    await until(async () => (await place.ask('GET /v1/questions')).length === 0);
    const late = await host.call('ask', { question: 'Still there?', timeout_seconds: 1 });

    assert.match(late.text, /^No answer: Not answered within 1 s/);
    await until(async () => (await place.ask('GET /v1/alerts')).length === 0);
    const [newest] = await place.ask('GET /v1/answers');
    assert.equal(newest?.state, 'released');
  });

  test('too many notifications are refused, and so is what the configuration switches off', async () => {
    await using place = await hookbellHome();
    await place.writeConfig(`${CONFIG(place.home)}answers: { hold: { mcp: never } }\n`);
    await place.start();
    await using host = await openHost(place);

    const sent = await Promise.all(
      Array.from({ length: 12 }, (_, number) => host.call('notify', { text: `no. ${number}` })),
    );
    const asked = await host.call('ask', { question: 'Is it on?' });

    assert.equal(sent.filter(({ isError }) => isError).length, 2);
    assert.match(sent.at(-1)?.text ?? '', /^Not sent: too many notifications\. Try again in \d+ s/);
    assert.match(asked.text, /^No answer: Questions through MCP are switched off/);
  });

  test('ends well where standard input is /dev/null', async () => {
    await using cli = await commandLine();

    const [code] = await once(cli.start(['mcp']), 'exit');

    assert.equal(code, 0);
  });

  test('without a daemon it starts one; where none can start, the model reads why', async () => {
    await using place = await started();
    await place.killDaemon();
    await using absent = await hookbellHome();
    await using host = await openHost(place);
    await using alone = await openHost(absent);

    const [asked, refused] = await Promise.all([
      host.call('ask', { question: 'Is it there?', timeout_seconds: 1 }),
      alone.call('ask', { question: 'Is it there?' }),
    ]);

    assert.match(asked.text, /^No answer: Not answered within 1 s/);
    assert.equal(refused.isError, true);
    assert.match(refused.text, /^Cannot reach the daemon/);
  });
});

function of({ id, requestHash }: { readonly id: string; readonly requestHash: string }) {
  return { question: id, requestHash, atMs: 0 };
}
