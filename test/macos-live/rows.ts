/** What is run in the world of main.ts, or on a Mac. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { installAgents, registeredRuns } from './agents.ts';

const world = process.env['WORLD'] ?? '';
const home = join(world, 'Users/dev');
const state = join(home, '.local/state/hookbell');
const program = fileURLToPath(new URL('../../program/cli.js', import.meta.url));
/** On a Mac, the real programs take the place of the stand-ins, which is why none of them records its words. */
const isMac = process.platform === 'darwin';
const node = isMac ? process.execPath : '/usr/bin/node';
const searchPath = isMac ? `${dirname(node)}:/usr/bin:/bin:/usr/sbin:/sbin` : '/usr/bin:/bin';
const env = { HOME: home, PATH: searchPath, LANG: 'en_US.UTF-8', SHELL: '/bin/zsh' };
const noService =
  isMac &&
  process.env['CI'] === undefined &&
  'it would replace your own launch agent; CI=1 runs it';
const KILLS = 8;
const EVENTS = 300;

interface Ended {
  readonly code: number | null;
  readonly printed: string;
}

function run(
  words: readonly string[],
  input: string | Uint8Array = '',
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const [command = '', ...rest] = words;
  const child = spawn(command, rest, { cwd: home, env: { ...env, ...more }, timeout: 60_000 });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => (printed += String(data)));
  }
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, printed })));
}

/** By the program that was installed. */
const hookbell = (...words: readonly string[]) =>
  run([join(home, '.local/bin/hookbell'), ...words]);

async function worked(...words: readonly string[]): Promise<string> {
  const { code, printed } = await hookbell(...words);
  assert.equal(code, 0, `hookbell ${words.join(' ')}: ${printed}`);
  return printed;
}

/** The command that Claude Code runs for an event. */
async function registered(event: string): Promise<string> {
  const settings = JSON.parse(await readFile(join(home, '.claude/settings.json'), 'utf8'));
  return settings.hooks[event][0].hooks[0].command;
}

function notification(message: string): string {
  const cwd = join(home, 'shop');
  return JSON.stringify({ session_id: 's1', hook_event_name: 'Notification', message, cwd });
}

async function ring(message: string, shell = '/bin/sh'): Promise<void> {
  const done = await run([shell, '-c', await registered('Notification')], notification(message));
  assert.deepEqual(done, { code: 0, printed: '' });
}

async function until(what: string, is: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await is()) return;
    await delay(100);
  }
  assert.fail(`never: ${what}`);
}

async function history(): Promise<readonly Readonly<Record<string, string>>[]> {
  const { code, printed } = await hookbell('history', '--json', '--limit', '1000');
  return code === 0 ? JSON.parse(printed) : [];
}

async function messages(): Promise<readonly string[]> {
  return (await history()).map(({ text = '' }) => text);
}

const arrived = (message: string) => async () =>
  (await messages()).some((text) => text.includes(message));

async function pidFile(): Promise<readonly string[]> {
  return (await readFile(join(state, 'daemon.pid'), 'utf8').catch(() => '')).trim().split(' ');
}

async function kill(): Promise<void> {
  const pid = Number((await pidFile())[0]);
  try {
    if (pid > 1) process.kill(pid, 'SIGKILL');
  } catch {
    // It is dead already.
  }
}

async function recorded(name: string): Promise<string> {
  return readFile(join(world, 'recorded', name), 'utf8').catch(() => '');
}

/** Settings as people keep them, each with a line that a parser would write otherwise. */
const settings = {
  '.claude/settings.json': '{\n   "model": "opus",\n\t"hooks": { "Stop": [] }\n}',
  '.codex/config.toml': '# mine\nmodel = "x"   # odd blanks\n',
  '.factory/settings.json': '{ "a": 1.0e2 }\n',
  '.gemini/settings.json': '{\r\n  "theme": "x"\r\n}\r\n',
  '.qwen/settings.json': '{"a":"\\u00e9"}',
  '.cursor/hooks.json': '{ "version": 1, "hooks": {} }\n',
} as const;

async function contents(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const path of Object.keys(settings)) found[path] = await readFile(join(home, path), 'utf8');
  return found;
}

/** A row that hangs must not cost more, ms. */
const ROW_MS = 240_000;

describe('in a world like macOS', { concurrency: 1, timeout: 8 * ROW_MS }, () => {
  test(
    '"install" registers every agent that is there, and starts the daemon',
    { timeout: ROW_MS },
    async () => {
      for (const [path, content] of Object.entries(settings)) {
        await mkdir(join(home, path, '..'), { recursive: true });
        await writeFile(join(home, path), content);
      }
      await mkdir(join(home, 'shop'));
      await installAgents(home);
      const { code, printed } = await run([node, program, 'install', '--no-service', '--yes']);

      assert.equal(code, 0, printed);
      for (const [path, content] of Object.entries(await contents()))
        assert.match(content, /hookbell-hook/, path);
      assert.match(await worked('status'), /^running/m);
    },
  );

  for (const shell of ['/bin/sh', isMac ? '/bin/zsh' : '/usr/bin/zsh']) {
    test(
      `what is registered hands over whatever it gets by ${shell}: exit 0, silent, nothing lost`,
      { timeout: ROW_MS },
      async () => {
        const command = await registered('Notification');
        const id = randomUUID();
        const texts = ['plain', 'ä 👍 e\u0301', `'"$(touch x)\`\\`, 'x'.repeat(200_000)];
        for (const [index, text] of texts.entries()) await ring(`${id}-${index} ${text}`, shell);
        for (const input of ['', '{', '\0\x1b[2J', '[]', '{"session_id":"x"}']) {
          assert.deepEqual(await run([shell, '-c', command], input), { code: 0, printed: '' });
        }
        for (const index of texts.keys()) await until(`event ${index}`, arrived(`${id}-${index}`));
        assert.ok(!existsSync(join(home, 'shop/x')) && !existsSync(join(home, 'x')));
      },
    );
  }

  test(
    'a notification is shown by the program that is there, and each command answers',
    { timeout: ROW_MS },
    async () => {
      await ring('Which way?');
      await until(
        'notified',
        async () =>
          (isMac && (await arrived('Which way?')())) ||
          (await recorded('terminal-notifier')).includes('Which way?') ||
          (await recorded('osascript.in')).includes('Which way?'),
      );

      for (const words of [
        ['sessions'],
        ['waiting'],
        ['explain', 'last'],
        ['doctor'],
        ['mute', '1h'],
        ['mute', 'off'],
      ])
        assert.notEqual((await hookbell(...words)).printed, '', words.join(' '));
    },
  );

  test(
    'another process with the number of a killed daemon keeps no event from being read (G24)',
    { timeout: ROW_MS },
    async () => {
      const [, boot = '', start = ''] = await pidFile();
      assert.match(start, /^[A-Z][a-z]{2}_/);
      await kill();
      // As after a crash: the file stays, and its number belongs to a process of another start.
      await writeFile(join(state, 'daemon.pid'), `${process.pid} ${boot} ${start}\n`);
      await ring('after the crash');

      await until('read', arrived('after the crash'));
      await kill();
      await writeFile(join(state, 'daemon.pid'), `${process.pid} ${boot} ${start}\n`);
      await worked('start');
      assert.notEqual((await pidFile())[0], String(process.pid));
    },
  );

  test(
    `${EVENTS} events beside ${KILLS} kills: none is lost, none stored twice`,
    { timeout: ROW_MS },
    async () => {
      const id = randomUUID();
      const wanted = Array.from({ length: EVENTS }, (_, index) => `${id}-${index}.`);
      const over = new AbortController();
      const killing = (async () => {
        for (let kills = 0; kills < KILLS && !over.signal.aborted; kills += 1) {
          await delay(500 + Math.random() * 1_500);
          await kill();
        }
      })();
      const left = [...wanted];
      const work = async (): Promise<void> => {
        for (let next = left.pop(); next !== undefined; next = left.pop()) await ring(next);
      };
      await Promise.all([work(), work()]);
      over.abort();
      await killing;
      await worked('start');
      await until('all are stored', () =>
        readdirSync(join(state, 'spool')).every((name) => name.startsWith('.')),
      );
      const found = (await messages()).flatMap((text) =>
        wanted.filter((one) => text.includes(one)),
      );

      assert.equal(new Set(found).size, EVENTS);
      assert.equal(found.length, EVENTS);
    },
  );

  test(
    'as a launch agent: started at login, restarted after a kill, and "stop" means stop',
    { timeout: ROW_MS, skip: noService },
    async () => {
      await worked('install', '--refresh', '--yes');
      const { code, printed } = await run([node, program, 'install', '--yes']);
      assert.equal(code, 0, printed);
      if (!isMac) assert.match(await recorded('launchctl'), /^bootstrap gui\/\d+ /m);
      const [first] = await pidFile();
      await kill();
      await until('restarted', async () => {
        const [next = ''] = await pidFile();
        return (
          next !== '' && next !== first && /^running/m.test((await hookbell('status')).printed)
        );
      });
      await worked('stop');
      await ring('while stopped');
      await delay(3_000);
      assert.match((await hookbell('status')).printed, /stopped|not running/);
      await worked('start');
      await until('read', arrived('while stopped'));
    },
  );

  test(
    'the script for the first person with a Mac finds no fault that needs no person',
    { timeout: ROW_MS },
    async () => {
      const script = fileURLToPath(new URL('../../../scripts/first-run.sh', import.meta.url));
      const { code, printed } = await run(['/bin/sh', script]);

      assert.equal(code, 0, printed);
      assert.match(printed, /^ok {6}presence is detected$/m);
    },
  );

  test(
    'what is registered with each agent sends its recorded events by /bin/sh, or by its plugin',
    { timeout: ROW_MS },
    async () => {
      const runs = await registeredRuns(home, node);
      for (const { words, input, env: more } of runs) {
        assert.deepEqual([words, await run(words, input, more)], [words, { code: 0, printed: '' }]);
      }

      await until('the events of each agent are stored', async () => {
        const stored = (await history()).map(({ agent, event, sessionId, project }) =>
          [agent, event, sessionId, project].join(' '),
        );
        return runs.every(({ wanted }) => {
          const at = stored.findIndex((line) => line.startsWith(wanted));
          stored.splice(at, at < 0 ? 0 : 1);
          return at >= 0;
        });
      });
    },
  );

  test(
    '"uninstall --purge" leaves every byte as it was, and no process',
    { timeout: ROW_MS },
    async () => {
      const [pid = ''] = await pidFile();
      await worked('uninstall', '--purge', '--yes');

      assert.deepEqual(await contents(), settings);
      assert.throws(() => process.kill(Number(pid), 0));
      assert.ok(!existsSync(join(home, '.local')));
      await rm(join(home, 'shop'), { recursive: true });
    },
  );

  test(
    'no stand-in was asked what its manual does not know',
    { timeout: ROW_MS, skip: isMac && 'a Mac has the programs themselves' },
    async () => {
      assert.equal(await recorded('refused'), '');
    },
  );
});
