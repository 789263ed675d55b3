import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Witness } from '../../test/e2e/obligations/witness.ts';
import type { Checkout } from '../../test/support/checkout.ts';
import { type HookbellHome, projectRoot, until } from '../../test/support/hookbell-home.ts';
import { isAlive } from '../../test/support/is-alive.ts';
import { chooseSeed, seededRandom } from '../../test/support/seeded-random.ts';
import { fillDisk } from '../../test/support/small-file-system.ts';
import { memoryMb } from '../support/process-figures.ts';
import { median, percentile } from '../support/statistics.ts';
import { startCrew } from './agents.ts';
import { note, watchDaemon } from './books.ts';
import { type DayClock, dayClock } from './clock.ts';
import { judgeDay, type Told, type Trouble } from './judge.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const SPEED = 30;
const AGENTS = 10;
/** After the last session, ms of the day: what is put off is done, and memory given back. */
const QUIET_MS = 30 * MINUTE;
const PATIENCE_MS = 120_000;
/** HOOKBELL_BENCH_PART=0.25 makes it two hours, with the same troubles. */
export const DAY_MS = 8 * HOUR * Number(process.env['HOOKBELL_BENCH_PART'] ?? 1);

/** The two channels. */
interface Witnesses {
  readonly first: Witness;
  readonly later: Witness;
}

interface SceneOptions {
  readonly place: HookbellHome;
  readonly witnesses: Witnesses;
  readonly old: Checkout;
  readonly next: Checkout;
}

export async function openScene({ place, witnesses, old, next }: SceneOptions) {
  const seed = chooseSeed();
  await place.writeConfig(configuration(witnesses.first.url, witnesses.later.url));
  const clock = dayClock(SPEED);
  for (const { path } of [old, next]) await quicken(path, clock);
  const end = clock.start + DAY_MS;
  const troubles: Trouble[] = [];
  const stored = new Map<string, Set<string>>();
  let root = old.path;
  let pid = 0;
  let isFull = false;
  let awake: Promise<unknown> = Promise.resolve();

  const start = async (): Promise<void> => {
    await place.start([], root);
    const status = await place.ask('GET /v1/status');
    ({ pid } = status);
    if (!status.config.ok) throw new Error(status.config.problems.join('\n'));
  };
  /** No hook starts it again. */
  const stop = async (): Promise<void> => {
    const last = pid;
    const { code, stderr } = await place.cli('stop');
    if (code !== 0) throw new Error(stderr);
    await until(() => !isAlive(last), PATIENCE_MS);
  };
  await start();
  const crew = startCrew({
    place,
    clock,
    random: seededRandom(seed),
    count: AGENTS,
    until: end,
    awake: () => awake,
    isFull: () => isFull,
  });

  /** What happens, at which part of the day. */
  const acts: readonly (readonly [number, string, () => Promise<void>])[] = [
    [0.1, 'the daemon is killed', killed],
    [0.2, 'the network goes away for ten minutes', away],
    [0.33, 'the machine sleeps for half an hour', asleep],
    [0.48, 'the next release takes over', upgraded],
    [0.6, 'the disk is full for three minutes', full],
    [0.72, 'the daemon is killed', killed],
    [0.8, 'the network goes away for ten minutes', away],
  ];

  async function killed(): Promise<void> {
    // The next hook starts it.
    await place.killDaemon();
    await clock.pass(2 * MINUTE);
    await start();
  }
  async function away(): Promise<void> {
    const both = [witnesses.first, witnesses.later];
    for (const web of both) web.behave('resets', Number.MAX_SAFE_INTEGER);
    await clock.pass(10 * MINUTE);
    for (const web of both) web.behave('well', 0);
  }
  async function asleep(): Promise<void> {
    awake = clock.pass(30 * MINUTE);
    process.kill(pid, 'SIGSTOP');
    await awake;
    process.kill(pid, 'SIGCONT');
  }
  async function upgraded(): Promise<void> {
    await stop();
    root = next.path;
    await start();
  }
  async function full(): Promise<void> {
    const filling = join(place.home, 'filling');
    isFull = true;
    await fillDisk(filling);
    await clock.pass(3 * MINUTE);
    await rm(filling);
    // Hooks that began meanwhile.
    await clock.pass(2 * MINUTE);
    isFull = false;
  }

  async function beInTrouble(): Promise<void> {
    for (const [part, name, act] of acts) {
      await clock.pass(Math.max(0, clock.start + DAY_MS * part - clock.now()));
      const from = clock.now();
      await act();
      troubles.push({ name, from, until: clock.now() });
      console.error(`${timeOf(clock, from)}  ${name}`);
    }
  }

  return {
    seed,
    async live() {
      let isOver = false;
      const oftenEnough = (): Promise<void> => note(place, stored);
      const looking = { place, clock, pid: () => pid, events: () => crew.events(), oftenEnough };
      const watching = watchDaemon(looking, () => isOver);
      let busy = 0;
      try {
        await Promise.all([crew.over, beInTrouble()]);
        await untilSettled(place);
        busy = clock.now() - clock.start;
        await clock.pass(QUIET_MS);
      } finally {
        isOver = true;
      }
      const samples = await watching;
      const memory = memoryMb(pid, 'VmRSS');
      await stop();
      await note(place, stored);

      const lost = [...crew.sent].flatMap(([session, { owed, all }]) => {
        const count = stored.get(session)?.size ?? 0;
        return count >= owed && count <= all
          ? []
          : [`${session}: ${count} of ${owed} to ${all} events`];
      });
      const told = toldOn(witnesses);
      const { silent, wrong } = judgeDay(crew.claims, { told, troubles });
      const working = samples.filter(({ minute }) => minute <= busy / MINUTE);
      const cpu = sum(working.map((sample) => sample.cpu));
      return {
        samples,
        faults: [
          ...lost,
          ...wrong.map((one) => `wrong: ${one}`),
          ...silent.map((one) => `missing: ${one}`),
          ...crew.offences,
        ],
        figures: {
          lost: lost.length,
          wrong: wrong.length,
          silent: silent.length,
          offences: crew.offences.length,
          events: crew.events(),
          claims: crew.claims.length,
          told: `${told.length} messages arrived`,
          hooks: `${median(crew.hookMs).toFixed(1)} ms with the start of a process by Node, 99 % within ${percentile(crew.hookMs, 99).toFixed(0)} ms`,
          cpu,
          share: (cpu / busy) * 100,
          wakes: sum(working.map(({ wakes }) => wakes)),
          memory,
        },
      };
    },
  };
}

/** Lets time pass faster in the daemon of a checkout, also where a hook starts it. */
async function quicken(checkout: string, { speed, start }: DayClock): Promise<void> {
  const main = join(checkout, 'dist/program/daemon.js');
  const clock = pathToFileURL(join(projectRoot, 'dist/test/support/fast-clock.js')).href;
  const settings = `process.env.HOOKBELL_TEST_SPEED = '${speed}'; process.env.HOOKBELL_TEST_START = '${start}';\n`;
  await writeFile(join(dirname(main), 'speed.js'), settings);
  await writeFile(
    main,
    `import './speed.js';\nimport '${clock}';\n${await readFile(main, 'utf8')}`,
  );
}

/** Waits until nothing is on its way. */
async function untilSettled(place: HookbellHome): Promise<void> {
  let rest = '';
  const isSettled = async (): Promise<boolean> => {
    const { spool, deliveries } = await place.ask('GET /v1/status');
    const waiting = await place.ask('GET /v1/queue', {
      query: { state: 'pending,retrying', limit: '3' },
    });
    const [first] = waiting;
    const event =
      first === undefined ? null : await place.ask('GET /v1/events', { part: first.eventId });
    rest = `${spool.pending} in the spool, ${deliveries.pending} to be delivered, ${JSON.stringify(waiting)} ${JSON.stringify(event)}`;
    return spool.pending === 0 && deliveries.pending === 0;
  };
  await until(isSettled, PATIENCE_MS).catch((error: unknown) => {
    throw new Error(`The day does not end: ${rest}`, { cause: error });
  });
}

/** Everything goes to one webhook, requests that wait for ten minutes also to another. */
function configuration(first: string, later: string): string {
  const webhook = 'type: webhook, allow_http: true, allow_private: true, timeout: 2s';
  return `channels:
  first: { ${webhook}, url: "${first}/" }
  later: { ${webhook}, url: "${later}/" }
plans:
  wait:
    - notify: [first]
    - { after: 10m, notify: later }
routes:
  - { match: { kind: waiting }, plan: wait }
  - { match: { kind: turn.done, longer_than: 30s }, notify: [first] }
noise: { burst: { at_once: 1000, window: 1ms }, per_session: 1000, per_channel: 1000 }
alerts: { settle: 30s }
history: { max_size: 12MB }
`;
}

function toldOn({ first, later }: Witnesses): readonly Told[] {
  return (['first', 'later'] as const).flatMap((channel) =>
    (channel === 'first' ? first : later).arrivals.map(({ claim, isMarked }) => {
      return { channel, claim, isMarked: isMarked === true };
    }),
  );
}

function timeOf(clock: DayClock, at: number): string {
  const minutes = Math.floor((at - clock.start) / MINUTE);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);
