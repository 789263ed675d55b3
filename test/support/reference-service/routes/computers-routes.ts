import {
  type RouteAnswer,
  type Call,
  success,
  pathPart,
  refuse,
  type ServedRoute,
  serve,
} from '../call.ts';
import { hasFields, isShortName, isUuid } from '../request-checks.ts';
import { type StoredComputer, INSTALL_STEP, type StoredStep } from '../data/computers-data.ts';

const V0 = '/api/v0/computers';

export const servedComputers: readonly ServedRoute[] = [
  serve('computers.list', `GET ${V0}`, ({ world }) => success({ computers: world.computers })),
  serve('computers.byName', `GET ${V0}/name/{name}`, byName, {
    pathChecks: { name: isShortName },
  }),
  serve('computers.get', `GET ${V0}/{computerId}`, (call) => {
    const computer = find(call);
    return computer === undefined ? noComputer(call) : success(computer);
  }),
  serve('computers.update', `PATCH ${V0}/{computerId}`, update, {
    body: hasFields({ name: isShortName, hostId: isUuid, remoteUser: isShortName }),
  }),
  serve('computers.installDeps', `POST ${V0}/{computerId}/install-deps`, installDependencies),
];

function byName(call: Call): RouteAnswer {
  const name = pathPart(call, 'name');
  const computer = call.world.computers.find((each) => each.name === name);
  return computer === undefined ? refuse(404, `No computer is named "${name}"`) : success(computer);
}

function update(call: Call): RouteAnswer {
  const computer = find(call);
  if (computer === undefined) return noComputer(call);
  const { name, hostId, remoteUser } = call.body;
  if (call.world.computers.some((other) => other !== computer && other.name === name)) {
    return refuse(409, `A computer is already named "${String(name)}"`);
  }
  if (typeof name === 'string') computer.name = name;
  if (typeof hostId === 'string') computer.hostId = hostId;
  if (typeof remoteUser === 'string') computer.remoteUser = remoteUser;
  return success(computer);
}

function installDependencies(call: Call): RouteAnswer {
  const computer = find(call);
  if (computer === undefined) return noComputer(call);
  const steps = (computer.provisioningSteps ??= []);
  const step = steps.find(({ name }) => name === INSTALL_STEP) ?? addStep(steps);
  if (isInstalling(step)) return refuse(409, `The step "${step.name}" is already running`);
  step.status = 'installing';
  step.startedAt = call.now;
  delete step.error;
  delete step.completedAt;
  computer.status = 'provisioning';
  return success(computer, 202);
}

function addStep(steps: StoredStep[]): StoredStep {
  const step: StoredStep = { id: 'step_install', name: INSTALL_STEP, status: 'waiting' };
  steps.push(step);
  return step;
}

function isInstalling({ status }: StoredStep): boolean {
  return status === 'installing';
}

function find(call: Call): StoredComputer | undefined {
  return call.world.computers.find(({ id }) => id === pathPart(call, 'computerId'));
}

function noComputer(call: Call): RouteAnswer {
  return refuse(404, `No computer "${pathPart(call, 'computerId')}"`);
}
