import { computerStatus, stepState } from '../../vendor/client/index.ts';
import type { JsonObject } from '../../platform/json.ts';
import { isJsonObject } from '../../platform/json.ts';
import type { Column } from './column.ts';
import type { View } from './show.ts';

const id: Column = { name: 'computer', from: 'id' };
const name: Column = { name: 'name', from: 'name' };
const status: Column = { name: 'status', from: computerStatus };
/** Its only documented value is "byom"; any other value means a hosting provider. */
const kind: Column = {
  name: 'kind',
  from: ({ providerType }) => (providerType === 'byom' ? 'own' : 'hosted'),
};
const failed: Column = { name: 'failed step', from: failedSteps };

export const computerListView: View = {
  columns: [
    id,
    name,
    status,
    kind,
    { name: 'user', from: 'remoteUser' },
    failed,
    { name: 'created', from: 'createdAt', kind: 'epoch', csvOnly: true },
    { name: 'host', from: 'hostname', csvOnly: true },
    { name: 'host id', from: 'hostId', csvOnly: true },
    { name: 'owner', from: 'ownerId', csvOnly: true },
  ],
  empty: 'No computers found',
};

export const computerView: View = {
  columns: [
    id,
    name,
    status,
    kind,
    { name: 'created', from: 'createdAt', kind: 'epoch' },
    { name: 'host', from: 'hostname' },
    { name: 'host id', from: 'hostId' },
    { name: 'user', from: 'remoteUser' },
    { name: 'owner', from: 'ownerId' },
    { name: 'steps', from: steps },
    failed,
    { name: 'install session', from: installSessions },
  ],
};

function stepsOf({ provisioningSteps }: JsonObject): readonly JsonObject[] {
  return Array.isArray(provisioningSteps) ? provisioningSteps.filter(isJsonObject) : [];
}

function steps(item: JsonObject): unknown {
  return stepsOf(item).map((step) => `${String(step['name'])}: ${stepState(step)}`);
}

function failedSteps(item: JsonObject): unknown {
  return stepsOf(item)
    .filter((step) => stepState(step) === 'failed')
    .map(({ name: step, error }) => [step, error].filter((part) => (part ?? '') !== '').join(': '));
}

function installSessions(item: JsonObject): unknown {
  const failures = stepsOf(item).filter((step) => stepState(step) === 'failed');
  return failures.flatMap(({ installSessionId }) => installSessionId ?? []);
}
