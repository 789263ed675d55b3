import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';

import { redactText } from '../../src/text/redact.ts';
import { displayLine } from '../../src/text/sanitize.ts';
import type { EveryChannelHome } from '../support/every-channel-home.ts';
import { everyChannel, everyChannelHome } from '../support/every-channel-home.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { until } from '../support/hookbell-home.ts';

/** Marks each event, so that its receipts are found whatever became of the text. */
function markOf(index: number): string {
  return `case ${index} of the corpus`;
}

/** The text in every field an agent, a repository or a web page can fill. */
function payloadOf(text: string, index: number): object {
  return {
    hook_event_name: 'Notification',
    session_id: `s${index} ${text}`,
    cwd: `/home/dev/${text}`,
    transcript_path: `/tmp/${text}`,
    permission_mode: text,
    session_title: text,
    notification_type: 'permission_prompt',
    tool_name: text,
    reason: text,
    message: `${markOf(index)} ${text}`,
  };
}

/** The facts a hook takes from its environment; a variable cannot hold NUL. */
const variables = ['TMUX_PANE', 'TERM_PROGRAM', 'SSH_CONNECTION', 'SSH_TTY'];

async function play(place: EveryChannelHome, texts: readonly string[]): Promise<void> {
  await place.start();
  for (const [index, text] of texts.entries()) {
    for (const name of variables) place.env[name] = text.replaceAll('\0', '');
    await place.hook(payloadOf(text, index), ['--agent', 'claude']);
  }
  for (const name of variables) delete place.env[name];
  await until(async () => {
    const { spool, deliveries, events } = await place.ask('GET /v1/status');
    return spool.pending === 0 && deliveries.pending === 0 && events === texts.length;
  });
}

/** What a terminal would obey, or a reader be deceived by; line feeds and tabs are how output is laid out. */
const DANGEROUS =
  // oxlint-disable-next-line no-control-regex -- control characters are what this expression is for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

describe('the hostile corpus in all fields together (T4-T9, T13, T16, faults 52, 53, 56)', () => {
  test('is inert text in every channel, in the log, in the terminal and in JSON', async () => {
    await using place = await everyChannelHome();
    const texts = ['harmless', ...hostileTexts];
    await play(place, texts);

    for (const channel of everyChannel) {
      const receipts = await place.receipts(channel);
      assert.equal(receipts.length, texts.length, channel);
      const inOrder = texts.map((_, index) => {
        const own = receipts.filter(({ shown }) => oneLine(shown).includes(`${markOf(index)} `));
        assert.equal(own.length, 1, `${channel} got ${own.length} for ${inspect(texts[index])}`);
        return own[0];
      });
      for (const [index, receipt] of inOrder.entries()) {
        const text = texts[index] ?? '';
        assert.equal(receipt?.shape, inOrder[0]?.shape, `${channel}: ${inspect(text)}`);
        assert.ok(
          oneLine(receipt?.shown ?? '').includes(redactText(displayLine(text))),
          `${channel}: ${inspect(text)} is missing in ${inspect(receipt?.shown)}`,
        );
      }
    }
    await assertLogIsWhole(place);
    await assertOutputIsInert(place, texts);
  });
});

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** Every line of the log is one entry of the daemon's own (T13, fault 56). */
async function assertLogIsWhole({ paths }: EveryChannelHome): Promise<void> {
  const lines = (await readFile(paths.log, 'utf8')).trimEnd().split('\n');
  for (const line of lines) {
    const entry: unknown = JSON.parse(line);
    assert.ok(
      typeof entry === 'object' && entry !== null && 'pid' in entry && 'time' in entry,
      line,
    );
    assert.doesNotMatch(line, DANGEROUS);
  }
}

async function assertOutputIsInert(
  place: EveryChannelHome,
  texts: readonly string[],
): Promise<void> {
  const events = await place.ask('GET /v1/history', { query: { limit: '1000' } });
  assert.equal(events.length, texts.length);
  const readings = [
    ['history', '--limit', '1000'],
    ['sessions', '--limit', '1000'],
    ['queue', '--state', 'sent', '--limit', '1000'],
    ['status'],
    ['doctor'],
    ...events.map(({ eventId }) => ['explain', eventId, '--verbose']),
  ];
  for (const words of readings.slice(0, 5)) {
    await assertInert(place, words);
    await assertInert(place, [...words, '--json']);
  }
  for (const words of readings.slice(5)) await assertInert(place, words);
}

async function assertInert(place: EveryChannelHome, words: readonly string[]): Promise<void> {
  const { stdout, stderr } = await place.cli(...words);
  const said = stdout + stderr;
  assert.ok(said.isWellFormed());
  const at = said.search(DANGEROUS);
  assert.equal(at, -1, `${words.join(' ')} says ${inspect(said.slice(at - 20, at + 20))}`);
}
