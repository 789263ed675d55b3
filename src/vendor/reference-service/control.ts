import type { IncomingMessage, ServerResponse } from 'node:http';

import { hasFields, isNumber } from './checks/body-checks.ts';
import { isRule, ruleProblem } from './faults/check-rule.ts';
import type { Rule } from './faults/rules.ts';
import { readBody, targetOf } from './http/errors.ts';
import type { LoggedRequest } from './http/listen.ts';
import { isJsonObject } from './json-object.ts';
import type { MockClock } from './mock-clock.ts';
import { isScenarioName, SCENARIO_NAMES, type ScenarioName } from './scenarios.ts';
import type { World } from './world.ts';

export const CONTROL_PREFIX = '/__ref/';

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
export async function answerControl(
  controlled: Controlled,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const name = targetOf(request).pathname.slice(CONTROL_PREFIX.length);
  const body = await readBody(request);
  // A name that a page had resolve to 127.0.0.1 comes as the Host, also of a GET, which has no Origin.
  const isPage = request.headers.origin !== undefined || !isLoopbackHost(request.headers.host);
  const { status, body: content } = !isPage
    ? reply(controlled, `${request.method} ${name}`, parse(body ?? ''))
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

/** @returns undefined when it is no JSON */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
