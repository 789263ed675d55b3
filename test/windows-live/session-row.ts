import { appendFile, readdir, readFile } from 'node:fs/promises';

import { handlerOf } from './agent-rows.ts';
import { NODE, type Wine } from './wine.ts';
import { allDone, makeHome } from './windows-home.ts';

const DONE = 'C:\\session-done';
const AT_ONCE = 4;
/** So many notified events show that the daemon is at work. */
const BEFORE_THE_END = 6;

const UNREAD = 6;

/** Runs the hook for one event after the other, and writes down those whose hook ended with 0. */
const RING = `
const { spawn } = require('node:child_process');
const [, command, ...args] = process.argv;
let count = 0;
const next = () => {
  const id = 'session-' + (count += 1);
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'], windowsHide: true });
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify({ hook_event_name: 'Stop', session_id: id, cwd: 'C:\\\\repo' }));
  child.on('exit', (code) => {
    if (code === 0) require('node:fs').appendFileSync(String.raw\`${DONE}\`, id + '\\n');
    next();
  });
};
for (let at = 0; at < ${AT_ONCE}; at += 1) next();
`;

/** The person logs off while agents run hooks and the daemon sends; nothing else may run meanwhile. */
export async function checkSessionEnd(wine: Wine): Promise<string> {
  const home = await makeHome(wine, 'C:\\users\\session');
  allDone(await wine.run([home.cli(['install', '--yes', '--no-service', '--agent', 'claude'])]));
  const { command = '', args = [] } = await handlerOf(home, '.claude\\settings.json', 'Stop');
  await appendFile(wine.at(DONE), '');
  const linesNow = async (): Promise<readonly string[]> =>
    (await home.read(home.lines).catch(() => '')).split('\n').slice(0, -1);
  const pid = await home.read(`${home.state}\\daemon.pid`);

  const ringing = wine.run([{ argv: [NODE, '-e', RING, command, ...args], env: home.env }]).then(
    () => 'ended',
    () => 'was ended',
  );
  await wine.until('the first events', async () =>
    (await linesNow()).length >= BEFORE_THE_END ? true : null,
  );
  await wine.freeze('daemon.js');
  const spool = wine.at(`${home.state}\\spool`);
  await wine.until(
    'events that are not read',
    async () => (await readdir(spool)).length >= UNREAD || null,
  );
  await wine.endSession();
  const how = await ringing;
  const before = (await linesNow()).length;
  const handed = (await readFile(wine.at(DONE), 'utf8')).split('\n').slice(0, -1);

  const started = await wine.run([
    home.cli(['status'], 'installed'),
    home.cli(['start'], 'installed'),
  ]);
  const statuses = started.map(({ status }) => status).join(' ');
  if (how !== 'was ended' || statuses !== '4 0') {
    throw new Error(`The agents ${how}, the daemon (${pid.trim()}) too: ${statuses}`);
  }
  const found = await wine.until(`all of ${handed.length} events`, async () => {
    const lines = await linesNow();
    return handed.every((id) => lines.some((line) => line.includes(`"${id}"`))) ? lines : null;
  });
  allDone(await wine.run([home.cli(['stop'], 'installed')]));
  const seen = new Set<string>();
  for (const line of found) {
    const { sessionId, possibleDuplicate }: { sessionId: string; possibleDuplicate: boolean } =
      JSON.parse(line);
    if (seen.has(sessionId) && !possibleDuplicate) throw new Error(`${sessionId} came twice`);
    seen.add(sessionId);
  }
  if (handed.length === before) throw new Error('All events had been notified before the end');
  return `${handed.length} events handed over, ${before} of them notified before the end, 0 lost, ${found.length - seen.size} twice and marked`;
}
