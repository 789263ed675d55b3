import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { completeEvent, wantedTranscript } from '../../src/agents/complete.ts';
import { decodePayload } from '../../src/agents/decode.ts';
import { grokWitness } from '../../src/agents/grok/session-events.ts';
import { linesFromEnd } from '../../src/agents/support/transcript-lines.ts';
import type { RecordedSession } from '../../src/core/agent/witness.ts';
import { readTranscriptTail } from '../../src/daemon/transcripts/transcript-title.ts';
import { createRecordReader, type SightedSession } from '../../src/daemon/witness/record-reader.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const records = new URL('../../../test/fixtures/records/', import.meta.url);
const ID = '01a222ea-1178-7a62-b382-12f8a8be9b4b';
const OPENED = '2026-11-28T16:08:10.181939911Z';
const uid = process.geteuid?.() ?? null;

/** What sessions of Grok Build 1.0.41 wrote: a permission given, one refused, a question, a failed turn. */
const lines = (await readFile(new URL('grok-1.0.41.jsonl', records), 'utf8')).trim().split('\n');
const updates = await readFile(new URL('grok-1.0.41-updates.jsonl', records), 'utf8');

function listOf(...sessions: readonly object[]): string {
  const usual = { session_id: ID, pid: 127, cwd: '/home/dev/shop', opened_at: OPENED };
  return JSON.stringify(sessions.map((fields) => ({ ...usual, ...fields })));
}

function listed(text = listOf({})): RecordedSession {
  const [session] = [grokWitness.read('active_sessions.json', text) ?? []].flat();
  return session ?? assert.fail('No session is listed');
}

/** The state after the lines, and for what it waits. */
function stateAfter(written: readonly string[]): string | null {
  const read = grokWitness.states?.read(listed(), linesFromEnd(written.join('\n')));
  return read?.waitingFor == null ? (read?.state ?? null) : `${read.state} ${read.waitingFor}`;
}

function lineOf(type: string, tool?: string): string {
  return JSON.stringify({ ts: '2026-11-28T16:08:20.000Z', type, tool_name: tool });
}

interface Home extends AsyncDisposable {
  readonly base: string;
  readonly events: string;
  look(): Promise<ReadonlyMap<string, SightedSession>>;
  folders(): Promise<readonly string[]>;
}

async function home(list = listOf({})): Promise<Home> {
  const directory = await temporaryDirectory();
  const base = join(directory.path, '.grok');
  const session = join(base, 'sessions/%2Fhome%2Fdev%2Fshop', ID);
  await mkdir(session, { recursive: true });
  await writeFile(join(base, 'active_sessions.json'), list);
  let seen: ReadonlyMap<string, SightedSession> = new Map();
  const reader = createRecordReader(
    {
      agent: 'grok',
      witness: grokWitness,
      directory: base,
      movedBy: 'GROK_HOME',
      processes: {
        prove: async (one) => grokWitness.proof(one),
        atTerminal: async () => null,
        valuesOf: async () => [],
      },
      readTail: (path) => readTranscriptTail(path, { uid }),
      now: Date.now,
      monotonic: () => performance.now(),
    },
    (key) => seen.get(key),
  );
  return {
    base,
    events: join(session, 'events.jsonl'),
    look: async () => (seen = await reader.read()),
    folders: () => reader.folders(),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

function statesOf(seen: ReadonlyMap<string, SightedSession>): readonly string[] {
  return [...seen.values()].map(({ session }) => session.state);
}

describe('grokWitness', () => {
  test('states.read() says after each recorded line what the session does', () => {
    const changes = lines
      .map((_, at) => stateAfter(lines.slice(0, at + 1)))
      .filter((state, at, all) => state !== all[at - 1]);

    assert.deepEqual(changes, [
      'working',
      'waiting run_terminal_command',
      'working',
      'idle',
      'working',
      'waiting run_terminal_command',
      'working',
      'idle',
      'working',
      // In the same millisecond: its permission, and the question itself.
      'waiting ask_user_question',
      'working',
      'idle',
      'working',
      'idle',
    ]);
  });

  test('states.read() takes a request that is not known for a wait, and pairs each answer with its request', () => {
    const [first = ''] = lines;

    assert.equal(stateAfter([first, lineOf('login_requested')]), 'waiting login');
    assert.equal(
      stateAfter([first, lineOf('login_requested'), lineOf('login_resolved')]),
      'working',
    );
    const two = [first, lineOf('permission_requested', 'a'), lineOf('permission_requested', 'b')];
    assert.equal(stateAfter([...two, lineOf('permission_resolved', 'b')]), 'waiting a');
    const cut = '{"ts":"2026-11-28T16:08:21.000Z","type":"turn_en';
    assert.equal(stateAfter([...two, cut]), 'waiting b', 'a half-written line');
    assert.equal(stateAfter(['{}', 'null', '[1]', cut]), null);
  });

  test('states.read() believes nothing from before the process of the session', () => {
    const later = listed(listOf({ opened_at: '2026-11-28T17:00:00.000Z' }));

    const read = grokWitness.states?.read(later, linesFromEnd(lines.slice(0, 7).join('\n')));

    assert.equal(read?.state, 'idle');
  });

  test('read() takes no session whose id would be a path, and nothing from another form of file', () => {
    const hostile = listOf({ session_id: '../../../etc' }, { pid: 1 }, { opened_at: 'now' }, {});

    assert.equal([grokWitness.read('active_sessions.json', hostile) ?? []].flat().length, 1);
    for (const text of ['', '[{', '{}', 'null', '[null, 1]'])
      assert.deepEqual(grokWitness.read('active_sessions.json', text), [], text);
  });

  test('details() names the call that waits, and how the turn ended', () => {
    const waits: RecordedSession = {
      ...listed(),
      state: 'waiting',
      waitingFor: 'run_terminal_command',
    };
    const written = updates.trim().split('\n');
    const asked = written.findIndex((line) => line.includes('"sessionUpdate":"tool_call"'));
    const upTo = (count: number) => linesFromEnd(written.slice(0, count).join('\n'));

    assert.equal(grokWitness.details(waits, upTo(asked)), null, 'not written yet');
    const { status, tool_input: input } = grokWitness.details(waits, upTo(asked + 1)) ?? {};
    assert.equal(status, 'needs.permission');
    assert.match(JSON.stringify(input), /touch first\.txt/);
    assert.deepEqual(grokWitness.details(listed(), linesFromEnd(updates)), {
      status: 'turn.done',
      message: 'It is written',
    });
  });
});

test('completeEvent() adds what a notification asks, from the only call that is open, and nothing from several', async () => {
  const payload = new TextEncoder().encode(
    JSON.stringify({
      hookEventName: 'notification',
      sessionId: ID,
      cwd: '/home/dev/shop',
      notificationType: 'permission_prompt',
      message: 'Tool permission requested',
      transcriptPath: `/home/dev/.grok/sessions/shop/${ID}/updates.jsonl`,
    }),
  );
  const decoded = decodePayload({ payload, facts: { agent: 'grok' } });
  assert.ok(decoded.ok);
  const event = { ...decoded.event, id: 'e1', at: 0, receivedAt: 0 };
  const open = updates.split('\n').slice(0, 2);
  const other = (open[1] ?? '').replaceAll('call_300000003', 'call_2');

  const completed = completeEvent({ event, payload }, open.join('\n'));

  assert.equal(wantedTranscript(event)?.isLate, true);
  assert.equal(completed.asked?.text, 'chmod 700 . && touch first.txt');
  assert.deepEqual([completed.kind, completed.tool], ['needs.permission', 'run_terminal_command']);
  assert.equal(completeEvent({ event, payload }, [...open, other].join('\n')), event);
  assert.equal(completeEvent({ event, payload }, updates), event, 'the call is over');
});

describe('createRecordReader() with a list of sessions', () => {
  test('watches the folder of a session until its first turn, and then the file of its states', async () => {
    await using grok = await home();

    assert.deepEqual(statesOf(await grok.look()), ['idle']);
    assert.deepEqual(await grok.folders(), [grok.base, join(grok.events, '..')]);
    await writeFile(grok.events, `${lines.slice(0, 7).join('\n')}\n`);
    assert.deepEqual(statesOf(await grok.look()), ['waiting']);
    assert.deepEqual(await grok.folders(), [grok.base, grok.events]);
  });

  test('reads the end of a huge file, and keeps what is known while nothing in it says more', async () => {
    await using grok = await home();
    await writeFile(grok.events, `${lines.slice(0, 7).join('\n')}\n`);
    assert.deepEqual(statesOf(await grok.look()), ['waiting']);

    await appendFile(grok.events, `${'x'.repeat(4_000_000)}\n`);
    assert.deepEqual(statesOf(await grok.look()), ['waiting']);
    await appendFile(grok.events, `${lines[7]}\n`);
    assert.deepEqual(statesOf(await grok.look()), ['working']);
  });

  test('follows no symbolic link, neither for the list nor for the states', async () => {
    await using grok = await home();
    const elsewhere = join(grok.base, '../elsewhere.jsonl');
    await writeFile(elsewhere, `${lines.slice(0, 7).join('\n')}\n`);
    await symlink(elsewhere, grok.events);
    assert.deepEqual(statesOf(await grok.look()), []);

    await rm(grok.events);
    await rename(elsewhere, grok.events);
    assert.deepEqual(statesOf(await grok.look()), ['waiting']);
    const list = join(grok.base, 'active_sessions.json');
    await rename(list, `${list}.real`);
    await symlink(`${list}.real`, list);
    assert.deepEqual(statesOf(await grok.look()), []);
  });
});
