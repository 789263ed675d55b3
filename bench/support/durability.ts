import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { hookbellHome, until } from '../../test/support/hookbell-home.ts';
import { type Notifier, quoted } from './notifiers.ts';
import { makeStandIns, type StandIns } from './stand-ins.ts';

/** Turns that end in each case. */
const EVENTS = 5;
/** How long the receiver is away after the last of them. */
const AWAY_MS = 2_000;
/** For what a tool sends after its hook has ended. */
const LATE_MS = 3_000;
/** How long the agent waits for a hook that goes on trying. */
const HOOK_MS = 5_000;
/** For the retries of hookbell, on a busy machine. */
const RETRY_MS = 60_000;

interface DurabilityCase {
  readonly title: string;
  /** What the receiver does with a message meanwhile. */
  readonly meanwhile: 'fail' | 'hang';
  /** Whether what sends is killed before the receiver is back. */
  readonly isKilled: boolean;
}

/** What can go wrong between an event and the person. */
export const durabilityCases: readonly DurabilityCase[] = [
  { title: 'the receiver fails for some seconds', meanwhile: 'fail', isKilled: false },
  { title: 'what sends is killed while it sends', meanwhile: 'hang', isKilled: true },
];

export interface DurabilityPlace {
  /** An empty directory, for this run alone. */
  readonly place: string;
  /** The environment of a tool whose programs are stand-ins; `mark` names the run. */
  readonly environment: (standIns: string, mark: string) => Record<string, string>;
}

/** Rows of a table: of how many events each tool notified in the end. */
export async function durabilityRows(
  tools: readonly Notifier[],
  where: DurabilityPlace,
): Promise<readonly (readonly string[])[]> {
  const rows: (readonly string[])[] = [
    ['events that arrive although', 'sent', 'hookbell', ...tools.map(({ name }) => name)],
  ];
  for (const [index, one] of durabilityCases.entries()) {
    const place = join(where.place, `durability-${index}`);
    const counts = [await ofHookbell(one, place)];
    for (const tool of tools) counts.push(await ofTool(tool, one, { ...where, place }));
    rows.push([one.title, String(EVENTS), ...counts.map(String)]);
  }
  return rows;
}

function payload(id: string, cwd: string): string {
  return JSON.stringify({ hook_event_name: 'Stop', session_id: id, transcript_path: '', cwd });
}

const ids = Array.from({ length: EVENTS }, (_, index) => `kept-${index + 1}-`);

/** The daemon sends through a program, as the hooks of the other tools do; only it is killed, since its hook has ended. */
async function ofHookbell({ meanwhile, isKilled }: DurabilityCase, place: string): Promise<number> {
  const standIns = makeStandIns(join(place, 'hookbell'));
  await using own = await hookbellHome();
  const arrived = join(place, 'arrived');
  writeFileSync(arrived, '');
  const script = `${quoted(join(standIns.folder, 'notify-send'))} && cat >>${quoted(arrived)}`;
  await own.writeConfig(`
channels: { receiver: { type: command, command: ${JSON.stringify(['sh', '-c', script])} } }
routes: [{ match: { kind: turn.done }, notify: receiver }]
`);
  await own.start();
  standIns.setTrouble(meanwhile);
  for (const id of ids) await own.handOver(payload(id, place), ['--agent', 'claude']);
  await delay(AWAY_MS);
  if (isKilled) await own.killDaemon();
  standIns.setTrouble(null);
  if (isKilled) await own.start();
  const count = (): number => {
    const text = readFileSync(arrived, 'utf8');
    return ids.filter((id) => text.includes(id)).length;
  };
  await until(() => count() === EVENTS, RETRY_MS).catch(() => {});
  return count();
}

/** Its hooks may go on trying for as long as the agent waits for them. */
async function ofTool(
  tool: Notifier,
  { meanwhile, isKilled }: DurabilityCase,
  { place, environment }: DurabilityPlace,
): Promise<number> {
  const directory = join(place, tool.name.replaceAll(/\W/g, '-'));
  const standIns = makeStandIns(directory);
  const line = tool.line('Stop') ?? tool.line('Notification', 'idle_prompt') ?? ':';
  mkdirSync(join(directory, 'work'), { recursive: true });
  standIns.setTrouble(meanwhile);
  const runs = ids.map((id) => startHook(line, { id, directory, standIns, environment }));
  await delay(AWAY_MS);
  if (isKilled) for (const run of runs) run.kill();
  standIns.setTrouble(null);
  await Promise.race([Promise.all(runs.map(({ ended }) => ended)), delay(HOOK_MS)]);
  await delay(LATE_MS);
  for (const run of runs) run.kill();
  const marks = [...standIns.calls().keys()];
  rmSync(directory, { recursive: true, force: true });
  return ids.filter((id) => marks.includes(id)).length;
}

interface HookStart extends Pick<DurabilityPlace, 'environment'> {
  readonly id: string;
  readonly directory: string;
  readonly standIns: StandIns;
}

interface HookRun {
  readonly ended: Promise<void>;
  /** Ends the whole group, as a terminal that is closed does. */
  kill(): void;
}

function startHook(line: string, { id, directory, standIns, environment }: HookStart): HookRun {
  const cwd = join(directory, 'work');
  const env = environment(standIns.folder, id);
  const child = spawn('sh', ['-c', line], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end(payload(id, cwd));
  return {
    ended: new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    }),
    kill() {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended, and so have its children.
      }
    },
  };
}
