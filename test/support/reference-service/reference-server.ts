import type { IncomingMessage, ServerResponse } from 'node:http';

import { createMockClock, type MockClock } from './days.ts';
import { createFaultRules, type Rule } from './faults/rules.ts';
import { exchange, type RunningService } from './http/exchange.ts';
import type { Address } from './served-routes.ts';
import { listen, type ListeningServer, type LoggedRequest } from './http/listen.ts';
import { createKeys, type MockKeys } from './keys.ts';
import { playScenario, type ScenarioName } from './scenarios.ts';
import { createWorld, advanceWorld, type World } from './world.ts';

export interface MockOptions {
  /** The same seed and the same `now` make the same bytes; default 7. */
  readonly seed?: number;
  /** Unix ms: a time that stands still until it is moved, or a clock to follow, such as `Date.now`. */
  readonly now: number | (() => number);
  /** Faults from the start; a reset brings them back. */
  readonly faults?: readonly Rule[];
  /** Default 0: free ones. */
  readonly ports?: { readonly base?: number; readonly app?: number };
  /** How many requests the expiring key is good for; default 5. */
  readonly expiringUses?: number;
  /** How many requests are remembered, since a service may run for days; default 10,000. */
  readonly remembered?: number;
}

/** A running reference service of the vendor's interface, on two ports of the loopback. */
export interface Mock extends AsyncDisposable {
  /** Analytics and v0; without a slash at the end, like `appUrl`. */
  readonly baseUrl: string;
  /** Readiness. */
  readonly appUrl: string;
  readonly keys: MockKeys;
  readonly clock: MockClock;
  /** The requests since the start or the last reset, oldest first: the last ones, where there are many. */
  requests(): readonly LoggedRequest[];
  /** What the service knows, as of its clock. Not to be changed. */
  state(): World;
  /** @returns takes the fault away again */
  fault(rule: Rule): () => void;
  scenario(name: ScenarioName): void;
  /** Back to the start: data, clock, keys, log and faults. Running requests go on with what they have. */
  reset(): void;
  /** Ends all connections, also those that hang, and both servers. */
  close(): Promise<void>;
}

/** Starts the reference service. Settles when both ports are open; rejects when one is taken. */
export async function startMock(options: MockOptions): Promise<Mock> {
  const { seed = 7, now, ports = {}, expiringUses = 5, remembered = 10_000 } = options;
  const keys = createKeys(seed);
  const clock = createMockClock(now);
  const ending = new AbortController();
  const makeWorld = (): World => createWorld({ seed, now: clock.now(), keys, expiringUses });
  const service: RunningService = {
    world: makeWorld(),
    clock,
    faults: createFaultRules(seed),
    log: [],
    remembered,
    received: 0,
    errors: 0,
    signal: ending.signal,
  };
  const addFaults = (): void => options.faults?.forEach((rule) => void service.faults.add(rule));
  addFaults();

  const mock: Omit<Mock, 'baseUrl' | 'appUrl' | 'close' | typeof Symbol.asyncDispose> = {
    keys,
    clock,
    requests: () => [...service.log],
    state() {
      advanceWorld(service.world, clock.now());
      return service.world;
    },
    fault: (rule) => service.faults.add(rule),
    scenario: (name) =>
      playScenario(name, { world: service.world, faults: service.faults, now: clock.now() }),
    reset() {
      clock.reset();
      service.world = makeWorld();
      service.log.length = 0;
      service.received = 0;
      service.errors = 0;
      service.faults.clear();
      addFaults();
    },
  };
  const handle = (address: Address) => (request: IncomingMessage, response: ServerResponse) =>
    exchange(service, address, request, response);

  const base = await listen(ports.base ?? 0, handle('base'));
  const app = await listenOrClose(base, () => listen(ports.app ?? 0, handle('app')));
  const close = async (): Promise<void> => {
    ending.abort();
    await Promise.all([base.close(), app.close()]);
  };
  return { ...mock, baseUrl: base.url, appUrl: app.url, close, [Symbol.asyncDispose]: close };
}

/** When the second port is taken, the first must not stay open. */
async function listenOrClose(first: ListeningServer, second: () => Promise<ListeningServer>) {
  try {
    return await second();
  } catch (error) {
    await first.close();
    throw error;
  }
}
