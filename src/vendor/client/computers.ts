import { z } from 'zod';

import { isJsonObject, type JsonObject } from '../../platform/json.ts';
import { Secret } from '../../text/secret.ts';
import { type Column, defineRoutes, type View, factsOf } from './define-routes.ts';
import {
  ComputerId,
  EpochUnknown,
  incompleteEnum,
  openEnum,
  shortText,
  text,
  textParameter,
} from './schema-parts.ts';
import type { Caller } from './request-caller.ts';
import type { CallOptions } from './client-options.ts';
import {
  AmbiguousWriteError,
  type ApiError,
  ConflictError,
  mayHaveHappened,
  wasAccepted,
} from './api-errors.ts';

export const ProvisioningStep = z.looseObject({
  id: text,
  name: text,
  /** Its values are not documented; see `stepState`. */
  status: text,
  error: text,
  /** The session that runs the step. */
  installSessionId: text,
  startedAt: EpochUnknown.nullish(),
  completedAt: EpochUnknown.nullish(),
});
export type ProvisioningStep = z.infer<typeof ProvisioningStep>;

/** The address of a relay gives access to the computer, so both are secrets. */
const relayAddress = z.instanceof(Secret).nullish();

export const Computer = z.looseObject({
  id: ComputerId,
  name: z.string(),
  // The interface omits the name of the hosted provider.
  providerType: incompleteEnum(['byom']),
  createdAt: EpochUnknown,
  hostId: text,
  hostname: text,
  status: openEnum(['provisioning', 'active', 'error']).nullish(),
  provisioningSteps: z.array(ProvisioningStep).nullish(),
  relayClientUrl: relayAddress,
  relayAgentUrl: relayAddress,
  remoteUser: text,
  ownerPrincipalKind: text,
  ownerId: text,
});
export type Computer = z.infer<typeof Computer>;

/** State of a step, whose `status` values are not documented: failed with an error or a status of failure, done with an end. */
export function stepState(
  step: Readonly<Partial<Record<keyof ProvisioningStep, unknown>>>,
): 'failed' | 'done' | 'open' {
  const { error, status, completedAt } = step;
  const says = typeof status === 'string' ? status : '';
  if ((error ?? '') !== '' || /fail|error/i.test(says)) return 'failed';
  return completedAt === undefined || completedAt === null ? 'open' : 'done';
}

/** The first failed step of a computer, with the session that ran it in `installSessionId`. */
export function failedStep({ provisioningSteps }: Computer): ProvisioningStep | null {
  return provisioningSteps?.find((step) => stepState(step) === 'failed') ?? null;
}

/** Display text of a computer's status, which the service may omit. */
export function computerStatus({ status }: { readonly status?: unknown }): string {
  return typeof status === 'string' && status !== '' ? status : 'unknown';
}

const kind: Column = {
  name: 'kind',
  // Its only documented value is "byom"; any other value means a hosting provider.
  from: ({ providerType }) => (providerType === 'byom' ? 'own' : 'hosted'),
};
const head: readonly Column[] = [
  { name: 'computer', from: 'id' },
  { name: 'name', from: 'name' },
  { name: 'status', from: computerStatus },
  kind,
];
const failed: Column = { name: 'failed step', from: failedSteps };

const card: View = {
  columns: [
    ...head,
    { name: 'created', from: 'createdAt', kind: 'epoch' },
    { name: 'host', from: 'hostname' },
    { name: 'host id', from: 'hostId' },
    { name: 'user', from: 'remoteUser' },
    { name: 'owner', from: 'ownerId' },
    {
      name: 'steps',
      from: (item) => stepsOf(item).map((step) => `${String(step['name'])}: ${stepState(step)}`),
    },
    failed,
    {
      name: 'install session',
      from: (item) => failuresOf(item).flatMap(({ installSessionId }) => installSessionId ?? []),
    },
  ],
};

function stepsOf({ provisioningSteps }: JsonObject): readonly JsonObject[] {
  return Array.isArray(provisioningSteps) ? provisioningSteps.filter(isJsonObject) : [];
}

function failuresOf(item: JsonObject): readonly JsonObject[] {
  return stepsOf(item).filter((step) => stepState(step) === 'failed');
}

function failedSteps(item: JsonObject): unknown {
  return failuresOf(item).map(({ name, error }) =>
    [name, error].filter((part) => (part ?? '') !== '').join(': '),
  );
}

const computerId = textParameter.describe('Id of the computer');

/** Computers. The service can neither create nor delete them. */
export const computerRoutes = defineRoutes(
  { family: 'v0', secrets: 'relay', view: card, response: Computer },
  {
    'computers.list': {
      summary: 'Computers',
      path: '/api/v0/computers',
      parameters: z.strictObject({}),
      // All of them in one response: the service has no pages here.
      response: z.looseObject({ computers: z.array(Computer) }),
      lists: ['computers'],
      view: {
        columns: [
          ...head,
          { name: 'user', from: 'remoteUser' },
          failed,
          { name: 'created', from: 'createdAt', kind: 'epoch', csvOnly: true },
          { name: 'host', from: 'hostname', csvOnly: true },
          { name: 'host id', from: 'hostId', csvOnly: true },
          { name: 'owner', from: 'ownerId', csvOnly: true },
        ],
        empty: 'No computers found',
      },
      command: { words: 'computers list', description: 'list all computers' },
    },
    'computers.get': {
      summary: 'One computer',
      path: '/api/v0/computers/{computerId}',
      parameters: z.strictObject({ computerId }),
    },
    'computers.byName': {
      summary: 'One computer, by its name',
      path: '/api/v0/computers/name/{name}',
      parameters: z.strictObject({
        name: shortText.describe('Name of the computer, 1 to 63 characters'),
      }),
    },
    'computers.update': {
      summary: 'Change name, host or user of a computer',
      method: 'PATCH',
      path: '/api/v0/computers/{computerId}',
      parameters: z
        .strictObject({
          computerId,
          name: shortText.optional().describe('New name, 1 to 63 characters'),
          hostId: z.guid('expected a UUID').optional().describe('UUID of the host'),
          remoteUser: shortText.optional().describe('User on the computer, 1 to 63 characters'),
        })
        .refine(
          ({ name, hostId, remoteUser }) => (name ?? hostId ?? remoteUser) !== undefined,
          'expected name, hostId or remoteUser',
        ),
      retry: 'idempotent-write',
    },
    'computers.installDeps': {
      summary: 'Retry the dependency-install step of a computer',
      method: 'POST',
      path: '/api/v0/computers/{computerId}/install-deps',
      parameters: z.strictObject({ computerId }),
      status: 202,
      retry: 'check-then-retry',
    },
  },
);

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
  const get = computerRoutes['computers.get'];
  const look = async (): Promise<Computer> => (await caller.call(get, parameters, options)).value;

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
      if (wasAccepted(error) || traceOf(before) !== traceOf(after)) {
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

function traceOf({ status, provisioningSteps }: Computer): string {
  const starts = (provisioningSteps ?? []).map(({ id, startedAt }) => [id, startedAt]);
  return JSON.stringify([status, starts]);
}
