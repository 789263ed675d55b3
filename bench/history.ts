import { once } from 'node:events';

import type { HookbellHome } from '../test/support/hookbell-home.ts';
import { hookbellHome, until } from '../test/support/hookbell-home.ts';
import { addWaits } from '../test/support/add-waits.ts';
import type { Benchmark, Figure } from './support/benchmark.ts';
import { interleave } from './support/interleave.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { multiplyHistory } from './support/multiply-history.ts';
import { ratio } from './support/ratio.ts';
import { fillSpool } from './support/spool.ts';
import { median } from './support/statistics.ts';

const SMALL = 1_000;
const LARGE = 1_000_000;

interface Question {
  readonly asked: string;
  readonly ask: (place: HookbellHome) => Promise<unknown>;
}

const questions: readonly Question[] = [
  { asked: 'status', ask: (place) => place.ask('GET /v1/status') },
  { asked: 'sessions', ask: (place) => place.ask('GET /v1/sessions') },
  { asked: 'history', ask: (place) => place.ask('GET /v1/history') },
  {
    asked: 'history of a session',
    ask: (place) => place.ask('GET /v1/history', { query: { session: 'session-3-0' } }),
  },
  {
    asked: 'history of what was not told',
    ask: (place) => place.ask('GET /v1/history', { query: { suppressed: '1' } }),
  },
];

/** Whether the daemon still answers immediately with a large history. */
export const history: Benchmark = {
  name: 'history',
  async run() {
    await using small = await homeWith(SMALL);
    await using large = await homeWith(LARGE);
    const figures: Figure[] = [];
    for (const { asked, ask } of questions) {
      const timeOf = async (place: HookbellHome): Promise<number> => {
        const startedAt = performance.now();
        await ask(place);
        return performance.now() - startedAt;
      };
      figures.push(
        await ratio({
          name: `1,000,000 events, ${asked}`,
          bound: 2,
          than: '1,000 events',
          rounds: 60,
          ours: () => timeOf(large),
          theirs: () => timeOf(small),
        }),
      );
    }
    return [...figures, ...(await waitingFigures(large))];
  },
};

/** Three of four are requests: 100,000. */
const WAITS = 133_400;
const ROUNDS = 30;

/** How long the daemon takes for the waiting time of a week, and of everything. */
async function waitingFigures(place: HookbellHome): Promise<readonly Figure[]> {
  const starts: number[] = [];
  const timeOf =
    (since: number, by = 'project') =>
    async (): Promise<number> => {
      starts.push(nodeStartMs());
      const startedAt = performance.now();
      await place.ask('GET /v1/waiting', { query: { by, since: String(since) } });
      return performance.now() - startedAt;
    };
  const week = Date.now() - 7 * 86_400_000;
  const [ofWeek = [], ofAll = [], ofRequests = []] = await interleave(
    [timeOf(week), timeOf(0), timeOf(0, 'request')],
    { rounds: ROUNDS },
  );
  const slowness = slownessOf(starts);
  const figure = (name: string, values: readonly number[], note: string, bound = 100): Figure => ({
    name,
    value: median(values),
    unit: 'ms',
    bound,
    better: 'lower',
    slowness,
    note,
  });
  const note = `${WAITS.toLocaleString('en')} waits in 90 days`;
  return [
    figure('1,000,000 events, waiting time of a week', ofWeek, note),
    figure('1,000,000 events, waiting time of everything', ofAll, note),
    figure('the same by request, three of four waits', ofRequests, note, 1_000),
    {
      name: '1,000,000 events, waiting time of everything, than of a week',
      value: median(ofAll) / median(ofWeek),
      unit: '×',
      bound: 20,
      better: 'lower',
      note: `13 times as many waits: ${median(ofAll).toFixed(1)} and ${median(ofWeek).toFixed(1)} ms`,
    },
  ];
}

async function homeWith(events: number): Promise<HookbellHome> {
  const place = await hookbellHome();
  // Meanwhile nothing is pruned and no one is notified.
  await place.writeConfig('channels: {}\nhistory: { keep: 3650d, max_size: 100GB }\n');
  fillSpool(place.paths, SMALL);
  const daemon = await place.start();
  await until(async () => {
    const { events: committed, deliveries } = await place.ask('GET /v1/status');
    return committed === SMALL && deliveries.pending === 0;
  });
  if (events > SMALL) {
    const ended = once(daemon, 'exit');
    await place.ask('POST /v1/stop');
    await ended;
    await multiplyHistory(place.paths.database, events / SMALL);
    await addWaits(place.paths.database, WAITS, Date.now());
    await place.start();
  }
  const status = await place.ask('GET /v1/status');
  if (status.events !== events) throw new Error(`The history has ${status.events} events`);
  return place;
}
