import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { shellWord } from '../../../src/text/escape.ts';
import {
  type HookbellHome,
  hookbellHome,
  projectRoot,
  until,
} from '../../support/hookbell-home.ts';
import { pretendDesktop } from '../../support/pretend-desktop.ts';
import { runProcess } from '../../support/run-process.ts';
import { needs } from '../../support/system-part.ts';
import { openTmux, type Tmux } from '../../support/tmux.ts';

const cli = join(projectRoot, 'dist/program/cli.js');
const skip = needs('tmux', 'script', 'bash', 'zsh', 'fish');

const CONFIG = (home: string) => `channels: { out: { type: file, path: "${home}/out.jsonl" } }
routes: [{ match: {}, notify: out }]
noise: { burst: { at_once: 100 } }
commands: { longer_than: 1s }
`;

async function started(): Promise<HookbellHome> {
  const place = await hookbellHome();
  await place.writeConfig(CONFIG(place.home));
  await place.start();
  return place;
}

/** The titles and bodies of commands, the oldest first. */
async function told(place: HookbellHome): Promise<readonly string[]> {
  const events = await place.ask('GET /v1/history', { query: { limit: '100' } });
  return events
    .filter(({ event }) => event === 'HookbellCommand')
    .map(({ title, text }) => (text === title ? title : `${title} | ${text}`))
    .toReversed();
}

const run = ({ env }: HookbellHome, ...words: readonly string[]) =>
  runProcess(process.execPath, [cli, 'run', ...words], { env });

describe('hookbell run', () => {
  test('leaves output, exit status and signals as they are, and notifies only of what took long', async () => {
    await using place = await started();

    const short = await run(place, '--', 'sh', '-c', 'echo out; echo err >&2; exit 3');
    const long = await run(place, '--longer-than', '0', '--', 'sh', '-c', 'exit 4');
    const inner = "sh -c 'kill -TERM $$'";
    const killed = await runProcess(
      'sh',
      ['-c', `"$0" "$1" run --longer-than 0 -- ${inner}; echo $?`, process.execPath, cli],
      { env: place.env },
    );
    const missing = await run(place, '--', 'no-such-program');
    await writeFile(`${place.home}/text`, 'no program', { mode: 0o600 });
    const file = await run(place, '--', `${place.home}/text`);

    assert.deepEqual([short.code, short.stdout, short.stderr], [3, 'out\n', 'err\n']);
    assert.deepEqual([long.code, long.stdout, long.stderr], [4, '', '']);
    assert.match(killed.stdout, /143\n$/);
    assert.equal(missing.code, 127);
    assert.equal(missing.stderr, 'hookbell: no-such-program: command not found\n');
    assert.equal(file.code, 126);
    await until(async () => (await told(place)).length === 2);
    assert.deepEqual(await told(place), [
      "Failed: sh -c 'exit 4' (status 4, 0 s)",
      "Failed: sh -c 'kill -TERM $$' (SIGTERM, 0 s)",
    ]);
  });

  test('gives the command its variables and its mask', async () => {
    await using place = await started();
    const inner = 'umask; echo "$NODE_TLS_REJECT_UNAUTHORIZED"';
    const script = `umask 002; exec ${shellWord(process.execPath)} ${shellWord(cli)} run -- sh -c ${shellWord(inner)}`;

    const env = { ...place.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const { stdout } = await runProcess('sh', ['-c', script], { env });

    assert.equal(stdout, '0002\n0\n');
  });

  test('without a daemon and without a home it runs all the same, silently', async () => {
    await using place = await hookbellHome();
    const env = { ...place.env, HOME: '/nonexistent', HOOKBELL_STATE_DIR: '/nonexistent/state' };

    const words = [cli, 'run', '--longer-than', '0', '--', 'echo', 'done'];
    const ran = await runProcess(process.execPath, words, { env });

    assert.deepEqual([ran.code, ran.stdout, ran.stderr], [0, 'done\n', '']);
  });

  test(
    'stops and goes on with the job, has its window and names the last line in tmux',
    { skip },
    async () => {
      await using place = await started();
      await using tmux = await openTmux();
      const shell = await openShell(tmux, place, 'bash --norc -i');
      const inside =
        'stty size; tty >/dev/null && echo tty; kill -STOP $$; sleep 1.2; echo the end';

      await shell.type(`${process.execPath} ${cli} run -- sh -c '${inside}'; echo status $?`);
      await shell.shows(/Stopped/);
      await shell.type('fg');
      await shell.shows(/^the end$/m);

      assert.match(await shell.screen(), /2[34] 80\ntty/);
      await until(async () => (await told(place)).length === 1);
      assert.match((await told(place))[0] ?? '', /^Done: sh -c .* \| the end$/);
    },
  );

  test('Ctrl-C reaches the command once and no one is notified of it', { skip }, async () => {
    await using place = await started();
    await using tmux = await openTmux();
    const shell = await openShell(tmux, place, 'bash --norc -i');
    const inside = 'trap "echo caught" INT; echo ready; sleep 5; sleep 5; exit 130';

    await shell.type(
      `${process.execPath} ${cli} run --longer-than 0 -- sh -c '${inside}'; echo status $?`,
    );
    await shell.shows(/^ready$/m);
    await tmux.run('send-keys', '-t', shell.pane, 'C-c');
    await shell.shows(/^(?:\^C)?caught$/m);
    await tmux.run('send-keys', '-t', shell.pane, 'C-c');
    await shell.shows(/^status 130$/m);

    assert.equal((await shell.screen()).match(/^(?:\^C)?caught$/gm)?.length, 2);
    assert.deepEqual(await told(place), []);
  });
});

const shells = [
  {
    name: 'bash',
    start: (home: string) => `bash --rcfile ${home}/rc -i`,
    // As prompt frameworks do: they take over PROMPT_COMMAND and PS0, and look at the status.
    rc: (init: string) =>
      `HISTFILE=/dev/null; framework() { last=$?; PS1="[$last]> "; }; PROMPT_COMMAND=framework\nPS0='-'\n${init}\n`,
  },
  {
    name: 'zsh',
    start: (home: string) => `env ZDOTDIR=${home} zsh -i`,
    rc: (init: string) =>
      `unsetopt zle prompt_cr prompt_sp\nautoload -Uz add-zsh-hook\nframework() { last=$?; PS1="[$last]> " }\nadd-zsh-hook precmd framework\n${init}\n`,
  },
  {
    name: 'fish',
    start: (home: string) => `env XDG_CONFIG_HOME=${home}/fish fish -i`,
    rc: (init: string) => `function fish_prompt; echo -n "[$status]> "; end\n${init}\n`,
  },
] as const;

for (const { name, start, rc } of shells) {
  describe(`hookbell shell-init ${name}`, { skip }, () => {
    test('notifies of long commands, with their status, and neither of short, hidden nor ignored ones', async () => {
      await using place = await started();
      await place.writeConfig(CONFIG(place.home).replace('1s }', '1s, ignore: [tail] }'));
      await using tmux = await openTmux();
      const { stdout: init, code } = await place.cli('shell-init', name);
      assert.equal(code, 0);
      const file = { bash: 'rc', zsh: '.zshrc', fish: 'fish/fish/config.fish' }[name];
      await runProcess('mkdir', ['-p', join(place.home, file, '..')], { env: place.env });
      await writeFile(join(place.home, file), rc(init));
      const shell = await openShell(tmux, place, start(place.home));

      await shell.type('cd /');
      await shell.type(`sleep 2.1; echo "a \\\\ b"; sh -c 'exit 7'`);
      await shell.shows(/\[7\]>/);
      await shell.type('timeout 2.1 tail -f /dev/null');
      await shell.shows(/\[124\]>/);
      await shell.type('true');
      await shell.type('FOO=1 sleep 2.1; echo over');
      await shell.shows(/^-?over$/m);
      await until(async () => (await told(place)).length === 3);

      const [first = '', second = '', third = ''] = await told(place);
      assert.match(
        first,
        /^Failed: sleep 2\.1; echo "a \\\\+ b"; sh -c 'exit 7' \(status 7, [2-9] s\)/,
      );
      assert.match(second, /^Failed: timeout 2\.1 tail/);
      assert.match(third, /^Done: FOO=1 sleep 2\.1; echo over \([2-9] s\)/);
      const events = await place.ask('GET /v1/history', { query: { limit: '100' } });
      assert.deepEqual(new Set(events.map(({ project }) => project)), new Set([null]));
    });
  });
}

const frameworks = [
  {
    name: 'liquidprompt in bash',
    file: 'rc',
    start: (home: string) => `bash --rcfile ${home}/rc -i`,
    rc: 'HISTFILE=/dev/null; . /usr/share/liquidprompt/liquidprompt',
    // It shows the status of the command.
    shown: /^.*\b7\b.*[$#] ?$/m,
  },
  {
    name: 'a theme of zsh',
    file: '.zshrc',
    start: (home: string) => `env ZDOTDIR=${home} zsh -i`,
    rc: `unsetopt zle\nautoload -Uz promptinit && promptinit && prompt adam2\nprecmd() { echo "status $?" }`,
    shown: /^status 7$/m,
  },
] as const;

for (const { name, file, start, rc, shown } of frameworks) {
  test(
    `hookbell shell-init beside ${name}: both see the status`,
    { skip: skip || needs('liquidprompt_activate') },
    async () => {
      await using place = await started();
      await using tmux = await openTmux();
      const { stdout: init } = await place.cli('shell-init', file === 'rc' ? 'bash' : 'zsh');
      await writeFile(join(place.home, file), `${rc}\n${init}\n`);
      const shell = await openShell(tmux, place, start(place.home));

      await shell.type("sleep 2.1; sh -c 'exit 7'");
      await until(async () => (await told(place)).length === 1);

      assert.match((await told(place))[0] ?? '', /^Failed: sleep 2\.1; .* \(status 7, [2-9] s\)/);
      await shell.shows(shown);
    },
  );
}

test(
  'no one is notified of a command whose terminal has focus, typed or run by "hookbell run"',
  { skip: skip || needs('dbus-daemon') },
  async () => {
    await using place = await hookbellHome();
    await using desktop = await pretendDesktop(place.home, null);
    place.env['DBUS_SESSION_BUS_ADDRESS'] = desktop.address;
    await place.writeConfig(`channels: { desktop: { type: desktop, backend: dbus } }
routes: [{ match: {}, notify: desktop }]
noise: { burst: { at_once: 100 } }
commands: { longer_than: 1s, ignore: [node] }
`);
    await place.start();
    await using tmux = await openTmux();
    await writeFile(join(place.home, 'rc'), (await place.cli('shell-init', 'bash')).stdout);
    const shell = await openShell(tmux, place, `bash --rcfile ${place.home}/rc -i`);
    const hookbell = `${process.execPath} ${cli} run --`;
    const outcomes = async () => {
      const events = await place.ask('GET /v1/history');
      const deliveries = events.map((event) =>
        event.deliveries.find(({ channel }) => channel === 'desktop'),
      );
      return deliveries.map((one) => `${one?.state} ${one?.reason ?? ''}`).toReversed();
    };
    const ended = (count: number) =>
      until(
        async () => (await outcomes()).filter((one) => !one.startsWith('pending')).length === count,
      );

    await tmux.run('select-window', '-t', shell.pane);
    await shell.type('sleep 2.1');
    await ended(1);
    await shell.type(`${hookbell} sleep 2.1`);
    await ended(2);
    const away = await openShell(tmux, place, `bash --rcfile ${place.home}/rc -i`);
    await away.type('sleep 2.1');
    await ended(3);

    const [typed = '', wrapped = '', unseen = ''] = await outcomes();
    assert.match(typed, /^cancelled The terminal of the session has focus/);
    assert.match(wrapped, /^cancelled The terminal of the session has focus/);
    assert.match(unseen, /^sent/);
  },
);

test('hookbell shell-init does not know other shells', async () => {
  await using place = await hookbellHome();

  const { code, stderr } = await place.cli('shell-init', 'tcsh');

  assert.equal(code, 2);
  assert.match(stderr, /expected bash, zsh or fish/);
});

async function openShell(tmux: Tmux, { env, home }: HookbellHome, command: string) {
  const words = Object.entries(env).map(([name, value]) => shellWord(`${name}=${value}`));
  const line = `cd ${shellWord(home)}; exec env ${words.join(' ')} ${command}`;
  const id = await tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', line);
  const pane = id.trim();
  const screen = () => tmux.run('capture-pane', '-p', '-J', '-S', '-', '-t', pane);
  const shows = (text: RegExp) => until(async () => text.test(await screen()));
  await shows(/[>$#%] ?$/m);
  return {
    pane,
    screen,
    shows,
    type: async (text: string) => {
      await tmux.run('send-keys', '-t', pane, '-l', text);
      await tmux.run('send-keys', '-t', pane, 'Enter');
    },
  };
}
