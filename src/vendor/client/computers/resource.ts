import type { Caller } from '../caller.ts';
import type { CallOptions } from '../client-options.ts';
import {
  AmbiguousWriteError,
  type ApiError,
  ConflictError,
  mayHaveHappened,
  wasAccepted,
} from '../errors.ts';
import type { BadItem } from '../parse-response.ts';
import { type ParametersOf, routes } from '../routes.ts';
import { factsOf } from '../schema-parts.ts';
import type { Computer } from './computer.ts';

export interface ComputerListing {
  readonly computers: readonly Computer[];
  /** Invalid items. */
  readonly badItems: readonly BadItem[];
}

/** Computers. The service can neither create nor delete them. */
export interface Computers {
  /** All of them in one request, because the service has no pages here. */
  readonly list: (options?: CallOptions) => Promise<ComputerListing>;
  readonly get: (
    parameters: ParametersOf<'computers.get'>,
    options?: CallOptions,
  ) => Promise<Computer>;
  readonly byName: (
    parameters: ParametersOf<'computers.byName'>,
    options?: CallOptions,
  ) => Promise<Computer>;
  readonly update: (
    parameters: ParametersOf<'computers.update'>,
    options?: CallOptions,
  ) => Promise<Computer>;
  readonly installDeps: (
    parameters: ParametersOf<'computers.installDeps'>,
    options?: CallOptions,
  ) => Promise<InstallDepsResult>;
}

export function createComputers(caller: Caller): Computers {
  return {
    list: async (options) => {
      const route = routes['computers.list'];
      const { value, badItems } = await caller.call(route, route.response, {}, options);
      return { computers: value.computers, badItems };
    },
    get: async (parameters, options) => {
      const route = routes['computers.get'];
      return (await caller.call(route, route.response, parameters, options)).value;
    },
    byName: async (parameters, options) => {
      const route = routes['computers.byName'];
      return (await caller.call(route, route.response, parameters, options)).value;
    },
    update: async (parameters, options) => {
      const route = routes['computers.update'];
      return (await caller.call(route, route.response, parameters, options)).value;
    },
    installDeps: (parameters, options = {}) => installDeps(caller, parameters, options),
  };
}

/**
 * - `accepted`: confirmed by the service
 * - `inferred`: the response was lost, but the computer changed
 * - `already-running`: refused because a retry is running
 */
export interface InstallDepsResult {
  readonly outcome: 'accepted' | 'inferred' | 'already-running';
  readonly computer: Computer;
}

/**
 * Retries the dependency-install step. If the response is lost, the computer is read: if it changed, the retry was accepted;
 * if not, the request is sent once more.
 *
 * @throws AmbiguousWriteError when the second response is lost too and the computer did not change
 */
async function installDeps(
  caller: Caller,
  parameters: ParametersOf<'computers.installDeps'>,
  options: CallOptions,
): Promise<InstallDepsResult> {
  const route = routes['computers.installDeps'];
  const look = async (): Promise<Computer> => {
    const get = routes['computers.get'];
    return (await caller.call(get, get.response, parameters, options)).value;
  };

  const before = await look();
  let lastError: ApiError | null = null;
  for (let sends = 0; sends < 2; sends += 1) {
    try {
      const { value } = await caller.call(route, route.response, parameters, options);
      return { outcome: 'accepted', computer: value };
    } catch (error) {
      if (error instanceof ConflictError) {
        return { outcome: 'already-running', computer: await look() };
      }
      if (!mayHaveHappened(error)) throw error;
      lastError = error;
      const after = await look();
      if (wasAccepted(error) || hasMoved(before, after)) {
        return { outcome: 'inferred', computer: after };
      }
    }
  }
  throw new AmbiguousWriteError('the response was lost twice, and the computer has not changed', {
    ...factsOf(route, lastError?.path),
    attempts: 2,
    cause: lastError,
    outcome: 'unknown',
  });
}

function hasMoved(before: Computer, after: Computer): boolean {
  return traceOf(before) !== traceOf(after);
}

function traceOf({ status, provisioningSteps }: Computer): string {
  const starts = (provisioningSteps ?? []).map(({ id, startedAt }) => [id, startedAt]);
  return JSON.stringify([status, starts]);
}
