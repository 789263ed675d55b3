import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { RouteId } from '../../../src/vendor/client/index.ts';
import { lastDays, routes } from '../../../src/vendor/client/index.ts';
import type { Mock } from '../../support/reference-service/reference-server.ts';
import type { RemoteCommandLine } from '../../support/remote-command-line.ts';
import { remoteCommandLine } from '../../support/remote-command-line.ts';

interface Names {
  readonly session: string;
  readonly message: string;
  readonly computer: string;
  readonly computerName: string;
  readonly otherName: string;
  readonly email: string;
  readonly from: string;
  readonly to: string;
}

interface Case {
  /** Options of `hookbell service api ROUTE`. */
  readonly route: (names: Names) => readonly string[];
  /** The command people use. */
  readonly typed: (names: Names) => readonly string[];
}

const range = ({ from, to }: Names): string[] => ['--startDate', from, '--endDate', to];

const cases: Readonly<Record<RouteId, Case>> = {
  'analytics.tokens': { route: range, typed: () => ['service', 'usage', 'tokens'] },
  'analytics.tools': { route: range, typed: () => ['service', 'usage', 'tools'] },
  'analytics.activity': { route: range, typed: () => ['service', 'usage', 'activity'] },
  'analytics.productivity': { route: range, typed: () => ['service', 'usage', 'productivity'] },
  'analytics.users': { route: range, typed: () => ['service', 'usage', 'users'] },
  'readiness.list': { route: () => [], typed: () => ['service', 'readiness', 'list'] },
  'sessions.list': { route: () => [], typed: () => ['service', 'sessions', 'list'] },
  'sessions.get': {
    route: ({ session }) => ['--sessionId', session],
    typed: ({ session }) => ['service', 'sessions', 'get', session],
  },
  'sessions.update': {
    route: ({ session }) => ['--sessionId', session, '--sessionSettings', '{"model":"m-1"}'],
    typed: ({ session }) => ['service', 'sessions', 'set', session, '--model', 'm-2'],
  },
  'sessions.addMessage': {
    route: ({ session }) => ['--sessionId', session, '--text', 'Go on'],
    typed: ({ session }) => ['reply', session, 'Go on'],
  },
  'sessions.getMessage': {
    route: ({ session, message }) => ['--sessionId', session, '--messageId', message],
    typed: ({ session, message }) => ['service', 'messages', 'get', session, message],
  },
  'computers.list': { route: () => [], typed: () => ['service', 'computers', 'list'] },
  'computers.get': {
    route: ({ computer }) => ['--computerId', computer],
    typed: ({ computer }) => ['service', 'computers', 'get', computer],
  },
  'computers.byName': {
    route: ({ computerName }) => ['--name', computerName],
    typed: ({ computerName }) => ['service', 'computers', 'get', computerName],
  },
  'computers.update': {
    route: ({ computer }) => ['--computerId', computer, '--remoteUser', 'dev'],
    typed: ({ computerName }) => ['service', 'computers', 'set', computerName, '--user', 'ops'],
  },
  'computers.installDeps': {
    route: ({ computer }) => ['--computerId', computer],
    typed: ({ otherName }) => ['service', 'computers', 'retry', otherName],
  },
  'org.users': { route: () => [], typed: () => ['service', 'users', 'list'] },
  'org.history': { route: () => [], typed: () => ['service', 'controls', 'history'] },
  'org.setLimits': {
    route: ({ email }) => ['--users', JSON.stringify([{ email, limit: 5 }])],
    typed: ({ email }) => ['service', 'limits', 'set', `${email}=7`],
  },
};

function namesOf(mock: Mock): Names {
  const { sessions, computers, people } = mock.state();
  const session = sessions.find(({ messages }) => messages.length > 0);
  const [computer, other] = computers;
  return {
    session: session?.sessionId ?? '',
    message: session?.messages[0]?.id ?? '',
    computer: computer?.id ?? '',
    computerName: computer?.name ?? '',
    otherName: other?.name ?? '',
    email: people[0]?.email ?? '',
    ...rangeOf(lastDays(3, Date.now())),
  };
}

function rangeOf({ startDate, endDate }: ReturnType<typeof lastDays>): {
  from: string;
  to: string;
} {
  return { from: startDate, to: endDate };
}

/** Whether the service answered this route with its success after the first `since` entries of the log. */
function wasAsked(mock: Mock, id: RouteId, since: number): boolean {
  const { method, path, status } = routes[id];
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  return mock
    .requests()
    .slice(since)
    .some(
      (asked) => asked.method === method && asked.sent === status && pattern.test(asked.pathname),
    );
}

async function reach(
  remote: RemoteCommandLine,
  id: RouteId,
  words: readonly string[],
): Promise<string> {
  const before = remote.mock.requests().length;
  const { code, stdout, stderr } = await remote.run(words);

  assert.equal(code, 0, stderr);
  assert.ok(wasAsked(remote.mock, id, before), words.join(' '));
  return stdout;
}

for (const { id } of Object.values(routes)) {
  test(`acceptance 227: "hookbell service api ${id}" and its typed command reach the service`, async () => {
    await using remote = await remoteCommandLine();
    const names = namesOf(remote.mock);
    const { route, typed } = cases[id];

    const [json, people] = await Promise.all([
      reach(remote, id, ['service', 'api', id, ...route(names), '--json']),
      reach(remote, id, typed(names)),
    ]);

    const answer: unknown = JSON.parse(json);
    assert.ok(typeof answer === 'object' && answer !== null);
    assert.match(people, /\S/);
  });
}
