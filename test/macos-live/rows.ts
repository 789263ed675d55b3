/** What is run in the world of main.ts, or on a Mac. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { installAgents, registeredRuns } from './agents.ts';
import {
  checkCapitals,
  checkOtherPerson,
  checkUpgrade,
  noOtherPerson,
  tellsCapitalsApart,
} from './neighbours.ts';
import {
  arrived,
  history,
  home,
  hookbell,
  isMac,
  kill,
  messages,
  node,
  pidFile,
  program,
  recorded,
  registered,
  ring,
  ringBy,
  run,
  state,
  until,
  worked,
} from './world.ts';

const noService =
  isMac &&
  process.env['CI'] === undefined &&
  'it would replace your own launch agent; CI=1 runs it';
const KILLS = 8;
const EVENTS = 300;

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

/** Why bash is not that of macOS; false: it is. */
async function hasNewBash(): Promise<string | false> {
  const { printed } = await run(['/bin/bash', '-c', 'echo $BASH_VERSION']);
  return printed.startsWith('3.2') ? false : `bash is ${printed.trim()}: see HOOKBELL_BASH_3`;
}

/** A row that hangs must not cost more, ms. */
const ROW_MS = 240_000;

const capitals = await tellsCapitalsApart();
const newBash = await hasNewBash();
const alone = await noOtherPerson();

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
        for (const [index, text] of texts.entries())
          await ring(`${id}-${index} ${text}`, { shell });
        for (const input of ['', '{', '\0\x1b[2J', '[]', '{"session_id":"x"}']) {
          await ringBy(command, input, shell);
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
    'a path in other capitals is the same: no second hook, no second daemon, each event once',
    { timeout: ROW_MS, skip: capitals },
    checkCapitals,
  );

  test(
    'the bash of macOS says why "shell-init" cannot help it',
    { timeout: ROW_MS, skip: newBash },
    async () => {
      const line = `eval "$('${join(home, '.local/bin/hookbell')}' shell-init bash)"; echo "status $?"`;
      const { printed } = await run(['/bin/bash', '--norc', '-i', '-c', line]);

      assert.match(
        printed,
        /^hookbell: shell-init needs bash 4\.4 or newer, and this is 3\.2\..*: no command is reported\nstatus 0$/m,
      );
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
    'another version takes over while agents work: nothing is lost, and the command of before works',
    { timeout: ROW_MS },
    () => checkUpgrade(noService === false ? [] : ['--no-service']),
  );

  test(
    'another person of the machine can neither read, plant, connect nor send signals',
    { timeout: ROW_MS, skip: alone },
    checkOtherPerson,
  );

  test(
    'the script for the first person with a Mac finds no fault that needs no person',
    { timeout: ROW_MS },
    async () => {
      const script = fileURLToPath(new URL('../../../scripts/first-run.sh', import.meta.url));
      const { code, printed } = await run(['/bin/sh', script], '', { TMPDIR: home });

      assert.equal(code, 0, printed);
      assert.match(printed, /^ok {6}presence is detected$/m);
      if (capitals === false)
        assert.match(printed, /^ok {6}a path with other capitals is the same folder$/m);
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
      assert.deepEqual(
        await readdir(join(home, '.local'), { recursive: true }).catch(() => []),
        [],
      );
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
