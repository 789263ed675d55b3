import { backoffMs } from '../../src/platform/retry.ts';
import { BATCH_EVENTS } from '../../src/relay/wire.ts';

/** A hub and the machines that relay to it. */
export interface HubLoad {
  readonly machines: number;
  /** Events that each machine sends, per second, on average. */
  readonly eventsPerMachine: number;
  /** Events that all processes of the hub commit together, per second. */
  readonly capacity: number;
  /** What a request costs besides its events, in events. */
  readonly requestCost: number;
  /** Events in bodies that the processes read at the same time; further requests are refused with 429. */
  readonly room: number;
  /** How long events arrive, s. */
  readonly seconds: number;
  /** When the database cannot be reached, s from the start; null: never. */
  readonly outage: { readonly from: number; readonly to: number } | null;
  /** In [0, 1). */
  readonly random: () => number;
}

export interface HubRun {
  readonly handedIn: number;
  readonly committed: number;
  /** Events that still wait on the machines at the end. */
  readonly left: number;
  /** From an event until its commit, for events after the first minute that no outage delayed, s. */
  readonly p95Seconds: number;
  /** From the end of the outage until fewer than a second's events wait, s; null without an outage, or if it never came. */
  readonly drainSeconds: number | null;
  /** The most events that waited on all machines, and on one. */
  readonly mostWaiting: number;
  readonly mostOnOne: number;
  /** The most requests within a second, refused ones included. */
  readonly mostRequests: number;
}

/** A step, s. */
const STEP = 0.1;
const WARM_UP_S = 60;
/** Timings of the sender and the receiver (src/relay), ms. */
const LONGEST_PAUSE_MS = 30_000;
const BUSY_MS = 5_000;
const FULL_MS = 1_000;

/**
 * Lets machines send events for a while, by the rules of the relay: a machine has one request at a time with at most
 * `BATCH_EVENTS` events, sends the next one immediately, and waits longer after each refusal.
 */
export function simulateHub(load: HubLoad): HubRun {
  const { machines, capacity, requestCost, room, seconds, outage, random } = load;
  const waiting = Array.from({ length: machines }, (): number[] => []);
  const isBusy = new Uint8Array(machines);
  const failures = new Uint8Array(machines);
  /** Events in the request of each machine. */
  const asked = new Uint16Array(machines);
  const retries = new Map<number, number[]>();
  const requests: number[] = [];
  let head = 0;
  let reading = 0;
  let budget = 0;
  const run = { handedIn: 0, committed: 0, left: 0, mostWaiting: 0, mostOnOne: 0, mostRequests: 0 };
  const delays: number[] = [];
  const rate = machines * load.eventsPerMachine;
  let drainSeconds: number | null = null;
  let requestsNow = 0;

  function ask(machine: number, step: number, isDown: boolean): void {
    requestsNow += 1;
    isBusy[machine] = 1;
    const size = Math.min(BATCH_EVENTS, waiting[machine]?.length ?? 0);
    if (isDown) return refuse(machine, step, BUSY_MS);
    if (reading + size > room) return refuse(machine, step, FULL_MS);
    asked[machine] = size;
    reading += size;
    requests.push(machine);
  }

  /** @param askedMs the pause that the hub asks for */
  function refuse(machine: number, step: number, askedMs: number): void {
    const count = Math.min(30, (failures[machine] ?? 0) + 1);
    failures[machine] = count;
    const pause = Math.max(askedMs, backoffMs(count, random(), { capMs: LONGEST_PAUSE_MS }));
    const at = step + Math.max(1, Math.round(pause / 1_000 / STEP));
    retries.set(at, [...(retries.get(at) ?? []), machine]);
  }

  const steps = Math.round(seconds / STEP);
  for (let step = 0; step < steps; step += 1) {
    const now = step * STEP;
    const isDown = outage !== null && now >= outage.from && now < outage.to;
    if (step % Math.round(1 / STEP) === 0) {
      run.mostRequests = Math.max(run.mostRequests, requestsNow);
      requestsNow = 0;
    }
    for (const machine of retries.get(step) ?? []) ask(machine, step, isDown);
    retries.delete(step);
    for (let count = poisson(rate * STEP, random); count > 0; count -= 1) {
      const machine = Math.floor(random() * machines);
      const events = waiting[machine]!;
      events.push(now);
      run.handedIn += 1;
      run.mostOnOne = Math.max(run.mostOnOne, events.length);
      if (isBusy[machine] === 0) ask(machine, step, isDown);
    }
    // An idle hub saves nothing up for later.
    budget = Math.min(0, budget) + capacity * STEP;
    if (isDown) {
      for (const machine of requests.splice(0)) {
        reading -= asked[machine]!;
        refuse(machine, step, BUSY_MS);
      }
    }
    while (head < requests.length && budget > 0) {
      const machine = requests[head++]!;
      const count = asked[machine]!;
      reading -= count;
      budget -= count + requestCost;
      run.committed += count;
      failures[machine] = 0;
      for (const since of waiting[machine]!.splice(0, count)) {
        const isDelayed = outage !== null && since >= outage.from - 1;
        if (since > WARM_UP_S && !isDelayed) delays.push(now + STEP - since);
      }
      if (waiting[machine]!.length > 0) ask(machine, step, false);
      else isBusy[machine] = 0;
    }
    requests.splice(0, head);
    head = 0;
    const left = run.handedIn - run.committed;
    run.mostWaiting = Math.max(run.mostWaiting, left);
    if (outage !== null && now >= outage.to && left < rate) drainSeconds ??= now - outage.to;
  }
  for (const events of waiting) run.left += events.length;
  delays.sort((a, b) => a - b);
  return { ...run, drainSeconds, p95Seconds: delays[Math.floor(delays.length * 0.95)] ?? 0 };
}

/** A number of arrivals; the normal approximation where many are expected. */
function poisson(mean: number, random: () => number): number {
  if (mean > 50) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}
