import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { parse, stringify } from 'yaml';

import { projectRoot } from '../support/hookbell-home.ts';
import { remoteCommandLine } from '../support/remote-command-line.ts';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB', 'base64');

const channels = `channels:
  mail: { type: email, to: [me@example.com], smtp: { host: smtp.example.com } }
  team: { type: slack, webhook: { env: SLACK } }
`;

/** Where another end than 0 may be the right one. */
const ends: Readonly<Record<string, readonly number[]>> = {
  // Whether a budget is used up depends on the day of the month.
  'service budget check': [0, 9],
  // No daemon runs here that could send it.
  'service digest send': [4],
  // The people of the example are none of the reference service's; a dry run sends nothing.
  'service limits set': [0, 8],
};

/** The words of a line of a shell, without its comment and where its output goes. */
function wordsOf(line: string): readonly string[] {
  const [command = ''] = line.split(/ +(?:#|>)/, 1);
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

/** The examples as one configuration: a section may stand in several of them. */
function together(texts: readonly string[]): string {
  const whole: Record<string, object> = {};
  for (const text of texts) {
    const example: Record<string, object> = parse(text);
    for (const [name, section] of Object.entries(example)) {
      whole[name] = { ...whole[name], ...section };
    }
  }
  return stringify(whole);
}

test('every command on the page about the HTTP interface works as it is written there', async () => {
  const page = readFileSync(join(projectRoot, 'docs/vendor-api.md'), 'utf8');
  const lines = [...page.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, text = '']) =>
    text.trim().split('\n'),
  );
  const [, ...settings] = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => text);
  await using remote = await remoteCommandLine({ config: together([channels, ...settings]) });
  const { sessions, computers, people, reports } = remote.mock.state();
  const session = sessions.find(({ messages }) => messages.length > 0);
  const names: Readonly<Record<string, string>> = {
    SESSION: session?.sessionId ?? '',
    MESSAGE: session?.messages[0]?.id ?? '',
    NAME: computers[0]?.name ?? '',
    REPORT: reports[0]?.reportId ?? '',
    '@last': session?.sessionId ?? '',
  };
  await writeFile(join(remote.cli.home, 'screenshot.png'), PNG);
  await remote.cli.write('plan.pdf', '%PDF-1.4');
  await remote.cli.write(
    'limits.json',
    JSON.stringify({ users: [{ email: people[0]?.email, limit: 2 }] }),
  );
  await remote.cli.write('limits.csv', `email,limit\n${people[0]?.email},2\n`);

  assert.ok(lines.length > 20);
  for (const line of lines) {
    const [program, ...words] = wordsOf(line).map((word) =>
      word.replace(/\b(?:SESSION|MESSAGE|NAME|REPORT)\b|^@last$/g, (name) => names[name] ?? name),
    );
    assert.equal(program, 'hookbell', line);
    const { code, stderr } = await remote.run(words);
    const allowed: readonly (number | null)[] = ends[words.slice(0, 3).join(' ')] ?? [0];
    assert.ok(allowed.includes(code), `${line} ends with ${code}: ${stderr}`);
  }
});
