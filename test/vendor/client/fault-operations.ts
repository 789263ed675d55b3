import type { CallOptions, Client } from '../../../src/vendor/client/index.ts';
import {
  AmbiguousWriteError,
  ApiError,
  createClient,
  lastDays,
} from '../../../src/vendor/client/index.ts';
import type { Effect } from '../../support/reference-service/faults/effects.ts';
import type { Mock } from '../../support/reference-service/reference-server.ts';

export const NOW = Date.UTC(2026, 6, 15, 12);
const RANGE = lastDays(5, NOW);

/** An operation of the client that a fault meets. */
export interface Operation {
  readonly method: string;
  /** Path of its requests, with stars; requests elsewhere are looks. */
  readonly path: string;
  /** A field its answer must have. */
  readonly field: string;
  /** Says how it ended well. */
  run(api: Client, mock: Mock, options: CallOptions): Promise<string>;
}

/** What a fault in the answer has to be about, where it is about one. */
export type EffectOf = Effect | ((operation: Operation) => Effect);

const getSession: Operation = {
  method: 'GET',
  path: '/api/v0/sessions/*',
  field: 'updatedAt',
  async run(api, mock, options) {
    await api.sessions.get(idleSession(mock), options);
    return 'ok';
  },
};

/** Three pages. */
const listSessions: Operation = {
  method: 'GET',
  path: '/api/v0/sessions',
  field: 'pagination',
  async run(api, _, options) {
    // More pages than there are, and few enough to reach the guard soon.
    const sessions = await api.sessions
      .list({ limit: 20 }, { ...options, maxPages: 20 })
      .all({ max: 500 });
    return `${sessions.length} of 47`;
  },
};

/** Three pages of nine reports, and an empty one that is the end. */
const listReports: Operation = {
  method: 'GET',
  path: '*/maturity-level-reports',
  field: 'reports',
  async run(api, _, options) {
    const reports = await api.readiness.list({ limit: 3 }, options).all({ max: 500 });
    return `${reports.length} of 9`;
  },
};

const readTokens: Operation = {
  method: 'GET',
  path: '*/tokens',
  field: 'data',
  async run(api, _, options) {
    const { data, missingDays } = await api.analytics.tokens(RANGE, options);
    return `${data.length} days${missingDays.length === 0 ? '' : `, ${missingDays.length} missing`}`;
  },
};

const updateSession: Operation = {
  method: 'PATCH',
  path: '/api/v0/sessions/*',
  field: 'updatedAt',
  async run(api, mock, options) {
    await api.sessions.update({ ...idleSession(mock), sessionSettings: { model: 'm' } }, options);
    return 'ok';
  },
};

const setLimits: Operation = {
  method: 'PUT',
  path: '*/limits/users',
  field: 'updated',
  async run(api, _, options) {
    const { outcomes, failure } = await api.organization.setLimits(
      [
        { email: 'ada@example.com', limit: 5_000_000 },
        { email: 'bruno@example.com', limit: 5_000_000 },
      ],
      options,
    );
    if (failure !== null) throw failure;
    return outcomes
      .map((one) => (one.outcome === 'updated' ? `updated to ${one.returned}` : one.outcome))
      .join(', ');
  },
};

const installDeps: Operation = {
  method: 'POST',
  path: '*/install-deps',
  field: 'id',
  async run(api, mock, options) {
    const failed = mock.state().computers.find(({ status }) => status === 'error');
    const { outcome } = await api.computers.installDeps({ computerId: failed?.id ?? '' }, options);
    return outcome;
  },
};

const addMessage: Operation = {
  method: 'POST',
  path: '*/messages',
  field: 'messageId',
  async run(api, mock, options) {
    const added = await api.sessions.addMessage({ ...idleSession(mock), text: 'Go on' }, options);
    return added.inferred ? 'inferred' : 'delivered';
  },
};

/** The operations a row of the table can be about; of the last two classes there is one each. */
export const operations = {
  getSession,
  listSessions,
  listReports,
  readTokens,
  updateSession,
  setLimits,
  installDeps,
  addMessage,
};

function idleSession(mock: Mock): { readonly sessionId: string } {
  const session = mock.state().sessions.find(({ status }) => status === 'idle');
  return { sessionId: session?.sessionId ?? '' };
}

/**
 * Runs an operation that meets a fault and returns how it ended: its result or the name of its error, how often it
 * was sent, and how often the client looked elsewhere to find out what had happened.
 *
 * @example "inferred, sent 1, looked 2"
 */
export async function meet(
  mock: Mock,
  operation: Operation,
  { effect, times, timeoutMs }: { effect: EffectOf; times: number; timeoutMs: number },
): Promise<string> {
  mock.reset();
  const { method, path } = operation;
  mock.fault({
    match: { method, path, times },
    effect: typeof effect === 'function' ? effect(operation) : effect,
  });
  const ended = await ending(operation.run(clientOf(mock), mock, { timeoutMs }));
  const all = mock.requests();
  const inPath = new RegExp(`^${path.replaceAll('*', '.*')}$`);
  const sent = all.filter((one) => one.method === method && inPath.test(one.pathname)).length;
  const looked = all.length - sent;
  return `${ended}, sent ${sent}${looked === 0 ? '' : `, looked ${looked}`}`;
}

async function ending(running: Promise<string>): Promise<string> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof AmbiguousWriteError) return `AmbiguousWriteError: ${error.outcome}`;
    if (error instanceof ApiError) return error.name;
    throw error;
  }
}

/** Waits pass on a clock of the client's own; only an attempt that gets no answer costs real time, its timeout. */
function clientOf(mock: Mock): Client {
  let clock = NOW;
  return createClient({
    baseUrl: mock.baseUrl,
    appUrl: mock.appUrl,
    apiKey: mock.keys.owner,
    now: () => clock,
    random: () => 0,
    sleep: (ms) => {
      clock += ms;
      return Promise.resolve();
    },
    requestQueue: { requestsPerSecond: 1e6, burst: 1e6 },
  });
}
