import type { Caller } from '../caller.ts';
import { factsOf } from '../check-parameters.ts';
import type { CallOptions } from '../client-options.ts';
import type { ApiError } from '../errors.ts';
import { AmbiguousWriteError, ConflictError } from '../errors.ts';
import { mayHaveHappened, wasAccepted } from '../lost-answer.ts';
import type { ParametersOf } from '../routes.ts';
import { routes } from '../routes.ts';
import type { Computer } from './computer.ts';

/**
 * - `accepted`: the service said so
 * - `inferred`: its answer was lost, but the computer moved
 * - `already-running`: it refused because a retry is under way
 */
export interface InstallDepsResult {
  readonly outcome: 'accepted' | 'inferred' | 'already-running';
  readonly computer: Computer;
}

/**
 * Retries the dependency-install step. When the answer is lost, the computer is read: if it moved, that was it;
 * if not, the request is sent once more.
 *
 * @throws AmbiguousWriteError when the second answer is lost too and the computer did not move
 */
export async function installDeps(
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
  throw new AmbiguousWriteError('the answer was lost twice, and the computer has not moved', {
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
