import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { writePidFile } from '../src/daemon/lock.ts';
import { hookbellHome, until } from '../test/support/hookbell-home.ts';
import { startNotificationServer } from '../test/support/notification-server.ts';
import { runProcess } from '../test/support/run-process.ts';
import { attentionCases, playCases } from './support/attention-cases.ts';
import { durabilityRows } from './support/durability.ts';
import { interleave } from './support/interleave.ts';
import { nodeStartMs } from './support/machine.ts';
import type { Notifier } from './support/notifiers.ts';
import { installedNotifiers, knownNotifiers, parseNotifier, quoted } from './support/notifiers.ts';
import { registeredHookLines } from './support/registered-hooks.ts';
import { makeStandIns } from './support/stand-ins.ts';
import { percentile } from './support/statistics.ts';
import { alignedRows } from './support/table.ts';

const hookProgram = fileURLToPath(new URL('../../hooks/hookbell-hook', import.meta.url));
/** For what a tool does after its hook has ended, and what hookbell sends after it has settled. */
const LATE_MS = 3_000;

const usage = `Usage: npm run bench -- compare [--home DIRECTORY] [--command "NAME=COMMAND" …] [--rounds 40]

Compares the hook of hookbell with the tools that are installed: how long the agent waits for it, of what it notifies, and
which events arrive although the receiver fails or what sends is killed. Prints the other hooks of your Claude Code, and
runs none of them unless you name it.
COMMAND runs for every event, in a shell, with the payload on its standard input; {event} is the name of the event.
Found by themselves, below the home directory:
  ${knownNotifiers().join('\n  ')}`;

/** @returns the exit status: 2 if the words are none it knows */
export async function compare(words: readonly string[]): Promise<number> {
  const options = parseOptions(words);
  if (options === null) {
    console.error(usage);
    return 2;
  }
  const { home, rounds, commands } = options;
  const tools = [...installedNotifiers(home), ...commands];
  if (tools.length === 0) console.error(`No other tool is installed below "${home}"\n${usage}`);
  for (const line of registeredHookLines(home)) console.error(line);
  const place = mkdtempSync(join(tmpdir(), 'hookbell-compare-'));
  try {
    console.error(
      `Measuring ${rounds} rounds of hookbell, ${tools.map(({ name }) => name).join(', ')}`,
    );
    console.log(await latencies(tools, { home, rounds, place }));
    console.error('Playing eight sessions, which takes half a minute');
    console.log(`\n${await notifications(tools, { home, place })}`);
    console.error('Sending while the receiver is away, which takes up to a minute');
    const environment = (standIns: string, mark: string) => toolEnvironment(home, standIns, mark);
    console.log(`\n${alignedRows(await durabilityRows(tools, { place, environment }))}`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  return 0;
}

function parseOptions(words: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        home: { type: 'string', default: homedir() },
        command: { type: 'string', multiple: true, default: [] },
        rounds: { type: 'string', default: '40' },
      },
    });
    const rounds = Number(values.rounds);
    const commands = values.command.map(parseNotifier);
    const valid = commands.filter((command) => command !== null);
    if (valid.length < commands.length || !Number.isInteger(rounds) || rounds < 1) return null;
    return { home: values.home, rounds, commands: valid };
  } catch {
    return null;
  }
}

interface Surroundings {
  readonly home: string;
  /** An empty directory, for this run alone. */
  readonly place: string;
}

/** Milliseconds from the start of each hook to its end, in turn with a shell and a Node that do nothing. */
async function latencies(
  tools: readonly Notifier[],
  { home, place, rounds }: Surroundings & { readonly rounds: number },
): Promise<string> {
  const standIns = makeStandIns(join(place, 'latency'));
  const state = join(place, 'state');
  mkdirSync(join(state, 'spool'), { recursive: true, mode: 0o700 });
  // To the hook this process is the daemon, so it starts none.
  writePidFile(join(state, 'daemon.pid'));
  const env = toolEnvironment(home, standIns.folder, '');
  let round = 0;
  const timed =
    (line: string, own: Readonly<Record<string, string>> = {}) =>
    () => {
      round += 1;
      const input = JSON.stringify({
        session_id: `round-${round}`,
        transcript_path: '',
        cwd: place,
        hook_event_name: 'Notification',
        message: 'Claude needs your permission to use Bash',
        notification_type: 'permission_prompt',
      });
      const startedAt = performance.now();
      spawnSync('sh', ['-c', line], { env: { ...env, ...own }, input, cwd: place });
      return performance.now() - startedAt;
    };
  const rows = [
    { name: 'sh -c :', measure: timed(':') },
    { name: 'node -e 0', measure: () => nodeStartMs() },
    { name: 'hookbell', measure: timed(`${quoted(hookProgram)} --state ${quoted(state)}`) },
    ...tools.map((tool) => ({
      name: tool.name,
      measure: timed(tool.line('Notification') ?? ':'),
    })),
  ];
  const series = await interleave(
    rows.map(({ measure }) => measure),
    { rounds },
  );
  const [shell = [], node = []] = series;
  return alignedRows([
    ['hook', 'p50', 'p95', 'than sh -c :', 'than node -e 0'],
    ...rows.map(({ name }, index) => {
      const values = series[index] ?? [];
      const [p50, p95] = [50, 95].map((percent) => `${percentile(values, percent).toFixed(1)} ms`);
      return [name, p50 ?? '', p95 ?? '', times(values, shell), times(values, node)];
    }),
  ]);
}

function times(values: readonly number[], than: readonly number[]): string {
  return `${(percentile(values, 50) / percentile(than, 50)).toFixed(1)} ×`;
}

/** How often each tool notifies in each case, beside how often it should by hookbell's default. */
async function notifications(tools: readonly Notifier[], surroundings: Surroundings) {
  const counts = await Promise.all([
    ofHookbell(surroundings),
    ...tools.map((tool) => ofTool(tool, surroundings)),
  ]);
  return alignedRows([
    ['notifications when', 'wanted', 'hookbell', ...tools.map(({ name }) => name)],
    ...attentionCases.map(({ id, title, wanted }) => [
      title,
      String(wanted),
      ...counts.map((count) => String(count(id))),
    ]),
    [
      'cases as wanted',
      String(attentionCases.length),
      ...counts.map((count) =>
        String(attentionCases.filter(({ id, wanted }) => count(id) === wanted).length),
      ),
    ],
  ]);
}

type CountOf = (id: string) => number;

/** The installed defaults: no configuration, and a notification server in place of the desktop. */
async function ofHookbell({ place }: Surroundings): Promise<CountOf> {
  await using server = await startNotificationServer();
  await using own = await hookbellHome();
  own.env['DBUS_SESSION_BUS_ADDRESS'] = server.address;
  await own.start();
  await playCases(place, async (_id, payload) => {
    const { code } = await own.hook(payload, ['--agent', 'claude']);
    if (code !== 0) throw new Error(`The hook ended with status ${code}`);
  });
  await delay(LATE_MS);
  // On a busy machine it may take longer.
  await until(async () => {
    const { spool, deliveries } = await own.ask('GET /v1/status');
    return spool.pending === 0 && deliveries.pending === 0;
  });
  const titles = server.calls.filter(({ replacesId }) => replacesId === 0);
  return (id) => titles.filter(({ title, body }) => `${title}\n${body}`.includes(id)).length;
}

/** Runs of its hook in which it showed, played or sent something, each counted once. */
async function ofTool(tool: Notifier, { home, place }: Surroundings): Promise<CountOf> {
  const directory = join(place, tool.name.replaceAll(/\W/g, '-'));
  const standIns = makeStandIns(directory);
  let runs = 0;
  await playCases(directory, async (id, payload) => {
    const line = tool.line(payload.hook_event_name, payload.notification_type);
    if (line === null) return;
    runs += 1;
    const env = toolEnvironment(home, standIns.folder, `${id} ${runs}`);
    const { cwd } = payload;
    await runProcess('sh', ['-c', line], { env, cwd, input: JSON.stringify(payload) });
  });
  await delay(LATE_MS);
  const marks = [...standIns.calls().keys()];
  return (id) => marks.filter((mark) => mark.startsWith(`${id} `)).length;
}

/** The reader's, except that nothing reaches the desktop, and no program of `standIns` does. */
function toolEnvironment(home: string, standIns: string, mark: string): Record<string, string> {
  return {
    PATH: [standIns, process.env['PATH'] ?? ''].join(delimiter),
    HOME: home,
    LANG: process.env['LANG'] ?? 'C.UTF-8',
    TERM: 'xterm-256color',
    DISPLAY: ':0',
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    CLAUDECODE: '1',
    NOTIFIER_MARK: mark,
  };
}
