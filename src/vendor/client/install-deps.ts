import type { Caller } from './request-caller.ts';
import type { CallOptions } from './client-options.ts';
import { type Computer, computerRoutes } from './computers.ts';
import {
  AmbiguousWriteError,
  type ApiError,
  ConflictError,
  mayHaveHappened,
  wasAccepted,
} from './api-errors.ts';
import { factsOf } from './define-routes.ts';

const route = computerRoutes['computers.installDeps'];

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
export async function installDeps(
  caller: Caller,
  parameters: unknown,
  options: CallOptions,
): Promise<InstallDepsResult> {
  const look = async (): Promise<Computer> => {
    const get = computerRoutes['computers.get'];
    return (await caller.call(get, parameters, options)).value;
  };

  const before = await look();
  let lastError: ApiError | null = null;
  for (let sends = 0; sends < 2; sends += 1) {
    try {
      const { value } = await caller.call(route, parameters, options);
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
