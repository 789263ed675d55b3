import { seededRandom } from '../test/support/seeded-random.ts';
import type { Benchmark } from './support/benchmark.ts';
import { type HubLoad, simulateHub } from './support/hub-simulation.ts';

const MACHINES = 100_000;
/** A machine with an agent at work sends an event each 50 s on average: docs/scale.md. */
const EVENTS_PER_MACHINE = 0.02;
const RATE = MACHINES * EVENTS_PER_MACHINE;
const HOUR = 3_600;

const common: Omit<HubLoad, 'capacity' | 'seconds' | 'outage' | 'random'> = {
  machines: MACHINES,
  eventsPerMachine: EVENTS_PER_MACHINE,
  requestCost: 1,
  // Two bodies of 24 MB in each of four processes, 3 KB an event.
  room: (4 * 48 * 1024) / 3,
};

/** The arithmetic of docs/scale.md, checked by a simulation of the machines and the hub. */
export const scale: Benchmark = {
  name: 'scale',
  async run() {
    const steady = simulateHub({
      ...common,
      capacity: 4 * RATE,
      seconds: 600,
      outage: null,
      random: seededRandom(1),
    });
    const outage = simulateHub({
      ...common,
      capacity: 4 * RATE,
      seconds: 2.5 * HOUR,
      outage: { from: 300, to: 300 + HOUR },
      random: seededRandom(2),
    });
    // While the hub clears the backlog, as many events arrive as before; each batch costs one more.
    const expected = (HOUR * RATE) / (4 * RATE - RATE);
    return [
      {
        name: 'scale, 100,000 machines, steady: event to commit, p95',
        value: steady.p95Seconds,
        unit: 's',
        bound: 1,
        better: 'lower',
        note: `simulated, ${RATE} events/s at a quarter of the capacity, at most ${steady.mostWaiting} waiting`,
      },
      {
        name: 'scale, an hour without the database: time until drained, to the arithmetic',
        value: (outage.drainSeconds ?? Number.NaN) / expected,
        unit: '×',
        bound: 1.3,
        better: 'lower',
        note: `simulated, ${Math.round(outage.drainSeconds ?? Number.NaN)} s beside ${expected} s; at most ${outage.mostOnOne} events on a machine, ${outage.mostRequests} requests/s`,
      },
    ];
  },
};
