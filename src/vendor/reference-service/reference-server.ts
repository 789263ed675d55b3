import type { IncomingMessage, ServerResponse } from 'node:http';

import { hasFields, isNumber } from './request-checks.ts';
import { createMockClock, type MockClock } from './days.ts';
import { isRule, ruleProblem } from './faults/check-rule.ts';
import { createFaultRules, type Rule } from './faults/rules.ts';
import { readBody, targetOf } from './http/error-body.ts';
import { exchange, type RunningService } from './http/exchange.ts';
import type { Address } from './served-routes.ts';
import { listen, type ListeningServer, type LoggedRequest } from './http/listen.ts';
import { isJsonObject, parseJson } from '../../platform/json.ts';
import { createKeys, type MockKeys } from './keys.ts';
import { isScenarioName, playScenario, SCENARIO_NAMES, type ScenarioName } from './scenarios.ts';
import { createWorld, advanceWorld, type World } from './world.ts';

const CONTROL_PREFIX = '/__ref/';

/** What the control endpoints move. */
interface Controlled {
  readonly clock: MockClock;
  requests(): readonly LoggedRequest[];
  state(): World;
  fault(rule: Rule): () => void;
  scenario(name: ScenarioName): void;
  reset(): void;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const done: Reply = { status: 200, body: { ok: true } };

const LATEST = Date.UTC(2100, 0);

const isTime = hasFields({ now: isNumber, advanceMs: isNumber });

/** Serves POST reset, clock, fault, scenario and GET log, state. A page in a browser is refused by its Origin. */
async function answerControl(
  controlled: Controlled,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const name = targetOf(request).pathname.slice(CONTROL_PREFIX.length);
  const body = await readBody(request);
  // After DNS rebinding the Host is the name of the page; a GET has no Origin, so both are checked.
  const isPage = request.headers.origin !== undefined || !isLoopbackHost(request.headers.host);
  const { status, body: content } = !isPage
    ? reply(controlled, `${request.method} ${name}`, parseJson(body ?? ''))
    : problem('A web page may not control the reference service', 403);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(content));
}

function isLoopbackHost(host = ''): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/.test(host);
}

function reply(controlled: Controlled, command: string, body: unknown): Reply {
  switch (command) {
    case 'POST reset':
      controlled.reset();
      return done;
    case 'GET log':
      return { status: 200, body: { requests: controlled.requests().map(withoutCredential) } };
    case 'GET state':
      return { status: 200, body: visible(controlled.state()) };
    case 'POST clock':
      return turnClock(controlled.clock, body);
    case 'POST fault':
      if (!isRule(body)) return problem(`The rule ${ruleProblem(body)}`);
      controlled.fault(body);
      return done;
    case 'POST scenario': {
      const name = isJsonObject(body) ? body['name'] : undefined;
      if (!isScenarioName(name)) return problem(`name is none of ${SCENARIO_NAMES.join(', ')}`);
      controlled.scenario(name);
      return done;
    }
    default:
      return problem(`Unknown command "${command}"`, 404);
  }
}

function turnClock(clock: MockClock, body: unknown): Reply {
  const wrong = isTime(body);
  if (wrong !== null || !isJsonObject(body)) return problem(`The time ${wrong}`);
  const { now, advanceMs } = body;
  const start = typeof now === 'number' ? now : clock.now();
  const time = start + (typeof advanceMs === 'number' ? advanceMs : 0);
  // Analytics go day by day to the present.
  if (time < 0 || time > LATEST) return problem('The time is not within 1970 to 2100');
  clock.set(time);
  return { status: 200, body: { now: clock.now() } };
}

function problem(message: string, status = 400): Reply {
  return { status, body: { message } };
}

function withoutCredential({ headers, ...request }: LoggedRequest) {
  const { authorization: _, ...rest } = headers;
  return { ...request, headers: rest };
}

function visible({ sessions, computers, limits, people }: World) {
  return { people, sessions, computers, limits: Object.fromEntries(limits) };
}

export interface MockOptions {
  /** The same seed and the same `now` make the same bytes; default 7. */
  readonly seed?: number;
  /** Unix ms: a time that stands still until it is moved, or a clock to follow, such as `Date.now`. */
  readonly now: number | (() => number);
  /** Faults from the start; a reset brings them back. */
  readonly faults?: readonly Rule[];
  /** Serves `/__ref/…` at the base address; default false. */
  readonly control?: boolean;
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
  const {
    seed = 7,
    now,
    control = false,
    ports = {},
    expiringUses = 5,
    remembered = 10_000,
  } = options;
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
    control && address === 'base' && request.url?.startsWith(CONTROL_PREFIX) === true
      ? answerControl(mock, request, response)
      : exchange(service, address, request, response);

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
