import { access, appendFile } from 'node:fs/promises';

import { handlerOf } from './agent-rows.ts';
import type { Screen } from './screen.ts';
import { NODE, type Wine } from './wine.ts';
import { allDone, makeHome, type WindowsHome } from './windows-home.ts';

async function isRunning(wine: Wine, home: WindowsHome): Promise<boolean> {
  const { status } = await wine.work(home.cli(['status'], 'installed'));
  return status === 0;
}

const pidOf = async (home: WindowsHome): Promise<string> =>
  (await home.read(`${home.state}\\daemon.pid`)).split(' ', 1).join('');

/** The log-on itself: what the task runs, in a console, but not that of `conhost --headless`, which Wine does not know. */
export async function checkTask(wine: Wine, standIn: string): Promise<string> {
  const home = await makeHome(wine, 'C:\\users\\Logon & Söhne ^ 👍');
  allDone(await wine.run([home.cli(['install', '--yes', '--agent', 'claude'])]));
  const text = await home.read(`${home.env['APPDATA']}\\hookbell\\task.xml`);
  const [, program = '', escaped = ''] =
    /<Command>(.*?)<\/Command>\s*<Arguments>(.*?)<\/Arguments>/s.exec(text) ?? [];
  const line = escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  const [, words = ''] = /^--headless cmd\.exe (.*)$/s.exec(line) ?? [];
  if (program !== 'conhost.exe' || words === '') throw new Error(text);
  allDone(await wine.run([home.cli(['stop'], 'installed')]));
  const planted = 'C:\\planted-at-logon';
  await home.write(
    `${planted}.js`,
    `require('node:fs').writeFileSync(${JSON.stringify(planted)}, '')`,
  );
  const env = {
    ...home.env,
    NODE_OPTIONS: `--require ${planted}.js`,
    HOOKBELL_STATE_DIR: 'C:\\elsewhere',
  };
  const argv = [standIn, '--console', 'nothing', 'C:\\never', `cmd.exe ${words}`];
  const running = wine.work({ argv, env });
  running.catch(() => {});
  await wine.until('the daemon of the log-on', async () =>
    (await isRunning(wine, home)) ? true : null,
  );
  const again = await wine.work(home.cli(['start'], 'installed'));
  allDone(await wine.run([home.cli(['stop'], 'installed')]));
  const { status, stderr } = await running;
  for (const path of [planted, 'C:\\elsewhere']) {
    const isThere = await access(wine.at(path)).then(
      () => true,
      () => false,
    );
    if (isThere) throw new Error(`"${path}" is there`);
  }
  if (status !== 0 || again.status !== 0) throw new Error(`${status} ${stderr}${again.stderr}`);
  return 'its line starts the daemon for the folders of the installation, whatever variables say, and "stop" ends it';
}

const quoted = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(' ');

/** What ran so far has shown no window; that one would be seen is shown by the consoles of the next row. */
export async function checkWindows(screen: Screen, parts: number): Promise<string> {
  const windows = screen.appeared();
  if (windows > 0) throw new Error(`${windows} windows appeared`);
  return `none in ${parts} parts of this suite`;
}

/** Ctrl-C and the end of a console: for the daemon that "start" leaves behind, and for one in the foreground. */
export async function checkConsole(wine: Wine, screen: Screen, standIn: string): Promise<string> {
  const home = await makeHome(wine, 'C:\\users\\console');
  allDone(await wine.run([home.cli(['install', '--yes', '--no-service', '--agent', 'claude'])]));
  const never = 'C:\\never';
  const inConsole = (event: string, mark: string, words: readonly string[]) => ({
    argv: [standIn, '--console', event, mark, quoted(words)],
    env: home.env,
  });
  const started = await pidOf(home);
  const hook = `${home.program}\\dist\\program\\hookbell-hook.cjs`;
  // What someone types at a console never ends.
  allDone(await wine.run([inConsole('nothing', never, [NODE, hook, '--state', home.state])]));
  const cli = `${home.program}\\dist\\program\\cli.js`;
  for (const event of ['interrupt', 'close']) {
    allDone(await wine.run([home.cli(['stop'], 'installed')]));
    allDone(await wine.run([inConsole(event, never, [NODE, cli, 'start'])]));
    if (!(await isRunning(wine, home))) throw new Error(`The daemon ended with its ${event}`);
  }
  if ((await pidOf(home)) === started) throw new Error('No other daemon was started');

  const daemon = `${home.program}\\dist\\program\\daemon.js`;
  const statuses: string[] = [];
  for (const event of ['interrupt', 'close']) {
    allDone(await wine.run([home.cli(['stop'], 'installed')]));
    const { status } = await wine.work(
      inConsole(event, `${home.state}\\daemon.pid`, [NODE, daemon]),
    );
    statuses.push(`${event}: ${status}`);
    const left = await pidOf(home).catch(() => '');
    if (status !== 0 || left !== '') throw new Error(`${statuses.join()}, "${left}" is left`);
  }
  const windows = screen.appeared();
  if (windows === 0) throw new Error('The screen does not show windows');
  return `the hook ends at a console; a started daemon outlives both; one in the foreground stops properly (${statuses.join(', ')})`;
}

/** A program that follows the log keeps it from being moved. */
export async function checkLog(wine: Wine, standIn: string): Promise<string> {
  const home = await makeHome(wine, 'C:\\users\\log');
  allDone(await wine.run([home.cli(['install', '--yes', '--no-service', '--agent', 'claude'])]));
  allDone(await wine.run([home.cli(['stop'], 'installed')]));
  const log = `${home.state}\\daemon.log`;
  await appendFile(wine.at(log), 'x'.repeat(6 * 1024 * 1024));
  await home.write(`${log}.1`, 'the first');
  await home.write(`${log}.2`, 'the second');
  const following = wine.work({ argv: [standIn, '--follow', log, '150'] });
  following.catch(() => {});
  allDone(await wine.run([home.cli(['start'], 'installed')]));
  await wine.until(
    'the log to be too long',
    async () => ((await home.read(log)).includes('Cannot rotate the log') ? true : null),
    3,
  );
  const kept = await Promise.all(['1', '2'].map((number) => home.read(`${log}.${number}`)));
  if (kept.join() !== 'the first,the second') throw new Error(`Moved: ${kept.join()}`);
  allDone([await following]);
  await wine.until(
    'the log to be moved',
    async () => {
      const [newest = '', last] = await Promise.all(
        ['1', '3'].map((number) => home.read(`${log}.${number}`).catch(() => '')),
      );
      return (newest.startsWith('{') && last === 'the second') || null;
    },
    3,
  );
  allDone(await wine.run([home.cli(['stop'], 'installed')]));
  return 'it stays while another program follows it, with the earlier ones, and is moved afterwards';
}

/** After a crash, the number in the file belongs to a process of something else. */
export async function checkPidReuse(wine: Wine): Promise<string> {
  const home = await makeHome(wine, 'C:\\users\\reuse');
  allDone(await wine.run([home.cli(['install', '--yes', '--no-service', '--agent', 'claude'])]));
  const { command = '', args = [] } = await handlerOf(home, '.claude\\settings.json', 'Stop');
  const pidFile = `${home.state}\\daemon.pid`;
  const line = await home.read(pidFile);
  const [pid = ''] = line.split(' ');
  const other = 'C:\\other-pid';
  const script = `require('node:fs').writeFileSync(process.argv[1], String(process.pid)); setTimeout(() => {}, 1e9)`;
  const killing = `process.kill(${pid}, 'SIGKILL')`;
  const living = wine.work({ argv: [NODE, '-e', script, other], patienceMs: 200_000 });
  const number = await wine.until(
    'another process',
    async () => (await home.read(other).catch(() => '')) || null,
  );
  allDone(await wine.run([{ argv: [NODE, '-e', killing], env: home.env }]));
  await home.write(pidFile, line.replace(pid, number));

  const input = JSON.stringify({ hook_event_name: 'Stop', session_id: 'reused', cwd: 'C:\\repo' });
  allDone(await wine.run([{ argv: [command, ...args], env: home.env, input }]));
  await wine.until('the event after the crash', async () =>
    (await home.read(home.lines).catch(() => '')).includes('"reused"') ? true : null,
  );
  if ((await pidOf(home)) === number) throw new Error('The file still names the other process');
  // As "stop" and "start" must leave that one alone.
  allDone(await wine.run([home.cli(['stop'], 'installed')]));
  await home.write(pidFile, line.replace(pid, number));
  const [stopped, started] = await wine.run([
    home.cli(['stop'], 'installed'),
    home.cli(['start'], 'installed'),
  ]);
  if (started?.status !== 0) throw new Error(`start: ${started?.status} ${started?.stderr}`);
  const [last] = await wine.run([
    home.cli(['stop'], 'installed'),
    { argv: [NODE, '-e', `process.kill(${number}, 'SIGKILL')`], env: home.env },
  ]);
  if (last?.status !== 0) throw new Error(`stop: ${last?.status} ${last?.stderr}`);
  const { status } = await living;
  return `a hook and "start" start the daemon, "stop" (${stopped?.status}) leaves the other process alone (${status})`;
}
