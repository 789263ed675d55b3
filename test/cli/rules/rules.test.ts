import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import type { PastRequest } from '../../../src/alerts/requests/propose-rules.ts';
import { requestPattern } from '../../../src/alerts/requests/request-pattern.ts';
import { programFile } from '../../../src/platform/program-files.ts';
import { pollUntil } from '../../../src/platform/time.ts';
import { loadShellParser } from '../../../src/platform/shell-syntax.ts';
import { shellWord } from '../../../src/text/escape.ts';
import { type CommandLine, commandLine } from '../../support/command-line.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { openTmux, type Tmux } from '../../support/tmux.ts';

const parse = await loadShellParser();

function past(text: string, fields: Partial<PastRequest>): PastRequest {
  const asked = { action: 'run', text, options: [] } as const;
  const pattern = requestPattern({ tool: 'Bash', asked }, parse);
  assert.ok(pattern !== null);
  const counts = {
    allowed: 6,
    denied: 0,
    unknown: 0,
    unanswered: 0,
    waitedMs: 90_000,
    calls: 6,
    firstAt: 0,
  };
  const who = { agent: 'claude', project: 'shop', root: '/', sessions: ['1', '2'] } as const;
  return { ...who, pattern, ...counts, ...fields };
}

/** A project with settings, and two things that are always allowed there. */
async function stage() {
  const cli = await commandLine();
  const root = join(cli.home, 'shop');
  const settings = join(root, '.claude/settings.local.json');
  const before = '{\n  // mine\n  "permissions": { "allow": ["Bash(old:*)"] }\n}\n';
  mkdirSync(join(root, '.claude'), { recursive: true });
  writeFileSync(settings, before);
  const requests = [past('npm run test', { root }), past('cargo build', { root, waitedMs: 5_000 })];
  await cli.serve({ 'GET /v1/requests': () => Promise.resolve(requests) });
  return { cli, root, settings, before };
}

/** What a person sees at a terminal who types this. */
async function person(
  tmux: Tmux,
  cli: CommandLine,
  words: string,
  typed: readonly string[],
  variable = 'NO_COLOR=1',
): Promise<string> {
  const env = `HOME=${shellWord(cli.home)} HOOKBELL_STATE_DIR=${shellWord(join(cli.home, 's'))} ${variable}`;
  const line = `${env} ${shellWord(process.execPath)} ${shellWord(programFile('commandLine'))} ${words}; echo "status $?"`;
  await tmux.run('set', '-g', 'remain-on-exit', 'on');
  const pane = (await tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', line)).trim();
  const screen = (): Promise<string> => tmux.run('capture-pane', '-p', '-J', '-S', '-', '-t', pane);
  let asked = 0;
  const end = await pollUntil(
    async () => {
      const shown = await screen();
      const questions = shown.match(/(?:\[y\/N\]|with blanks\]) ?/g)?.length ?? 0;
      if (questions > asked) {
        await tmux.run('send-keys', '-t', pane, '-l', typed[asked] ?? '');
        asked += 1;
        await tmux.run('send-keys', '-t', pane, 'Enter');
      }
      return /status \d+/.test(shown) ? shown : null;
    },
    60_000,
    50,
  );
  return end ?? (await screen());
}

test('hookbell rules lists proposals with what they save, match and allow, and rules that nothing needs', async () => {
  const { cli, root, settings } = await stage();
  await using _ = cli;

  const { stdout, stderr, code } = await cli.run(['rules']);

  assert.equal(code, 0, stderr);
  assert.equal(
    stdout,
    `1. Claude Code, ${root}: allow Bash(npm run test)
   in ${settings}
   would have saved 6 requests in 2 sessions, 1 min 30 s of waiting; all were allowed
   matches npm run test (6)
   at worst: runs "npm run test" as it stands, whatever that does by then; also after cd, timeout, time, nice and nohup, and with its output discarded

2. Claude Code, ${root}: allow Bash(cargo build)
   in ${settings}
   would have saved 6 requests in 2 sessions, 5 s of waiting; all were allowed
   matches cargo build (6)
   at worst: runs "cargo build" as it stands, whatever that does by then; also after cd, timeout, time, nice and nohup, and with its output discarded

3. Claude Code, ${root}: remove Bash(old:*)
   in ${settings}
   nothing in 30 days needed it

`,
  );
});

test('hookbell rules apply changes what a person chose, byte for byte, and rules undo restores it', async () => {
  const { cli, settings, before } = await stage();
  await using _ = cli;
  await using tmux = await openTmux();

  const applied = await person(tmux, cli, 'rules apply', ['1 3', 'y']);

  assert.match(applied, /^-   "permissions": \{ "allow": \["Bash\(old:\*\)"\] \}$/m);
  assert.match(applied, /status 0/);
  const after = before.replace('Bash(old:*)', 'Bash(npm run test)');
  assert.equal(readFileSync(settings, 'utf8'), after);
  const undone = await person(tmux, cli, 'rules undo', ['y']);
  assert.match(undone, /status 0/);
  assert.equal(readFileSync(settings, 'utf8'), before);
});

test('hookbell rules apply changes nothing without a yes, nor for an agent, a script or a pipe', async () => {
  const { cli, settings, before } = await stage();
  await using _ = cli;
  await using tmux = await openTmux();

  const refused = [
    await person(tmux, cli, 'rules apply 1', ['n']),
    await person(tmux, cli, 'rules apply 1', ['y'], 'CLAUDECODE=1'),
    (await cli.run(['rules', 'apply', '1'], { input: 'y\n' })).stderr,
    (await cli.run(['rules', 'apply', '1', '--json'])).stderr,
  ];

  assert.match(refused[0] ?? '', /Nothing was changed[^]*status 1/);
  assert.match(refused[1] ?? '', /an agent runs it[^]*status 1/);
  assert.match(refused[2] ?? '', /standard input is not a terminal/);
  assert.match(refused[3] ?? '', /"--json" cannot be used/);
  assert.equal(readFileSync(settings, 'utf8'), before);
  assert.equal(existsSync(join(cli.home, 's/rules.json')), false);
});

test('hookbell rules proposes no removal before the history has a month', async () => {
  await using cli = await commandLine();
  await cli.write('.claude/settings.json', '{"permissions":{"allow":["Bash(old:*)"]}}');
  const requests = [past('npm test', { allowed: 1, firstAt: Date.now() - 86_400_000 })];
  await cli.serve({ 'GET /v1/requests': () => Promise.resolve(requests) });

  const { stdout } = await cli.run(['rules']);

  assert.equal(stdout, '');
});

test('hookbell rules prints no control character of a request', async () => {
  await using cli = await commandLine();
  const requests = hostileTexts.map((text) => past('npm test', { root: text }));
  await cli.serve({ 'GET /v1/requests': () => Promise.resolve(requests) });

  const { stdout } = await cli.run(['rules']);

  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
});
