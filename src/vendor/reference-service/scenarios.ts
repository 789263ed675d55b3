import { addDays, dayOf } from './days.ts';
import { INSTALL_STEP } from './data/computers.ts';
import { addLooseRevision } from './data/controls.ts';
import { addFallenReport } from './data/readiness.ts';
import { planWork } from './data/sessions.ts';
import type { FaultRules } from './faults/rules.ts';
import type { World } from './world.ts';

/** What a scenario moves; everything it does is undone by a reset. */
interface Stage {
  readonly world: World;
  readonly faults: FaultRules;
  /** Unix ms. */
  readonly now: number;
}

export const SCENARIO_NAMES = [
  'work',
  'computer-fails',
  'spike',
  'readiness-falls',
  'controls-loosened',
  'late-batch',
  'zero-batch',
  'v0-off',
  'incident',
] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** What each is about, for people. */
export const SCENARIO_TEXTS: Readonly<Record<ScenarioName, string>> = {
  work: 'Three idle sessions get something to do',
  'computer-fails': 'The installation of a computer fails',
  spike: 'A user spent far more credits yesterday than ever before',
  'readiness-falls': 'A new readiness report fails a criterion that passed before',
  'controls-loosened': 'A user allows one more command and changes the key of a custom model',
  'late-batch': 'Analytics lack yesterday',
  'zero-batch': 'Analytics have yesterday, with nothing in it',
  'v0-off': 'Everything below /api/v0 is refused with 403',
  incident: 'A computer fails, credits burn, and every fifth request meets a 503',
};

const SCENARIOS: Readonly<Record<ScenarioName, (stage: Stage) => void>> = {
  /** Three idle sessions get something to do, one after the other, ten seconds apart. */
  work: ({ world, now }) => {
    const idle = world.sessions.filter(({ status }) => status === 'idle').slice(0, 3);
    for (const [index, session] of idle.entries()) planWork(session, now + index * 10_000);
  },
  'computer-fails': failComputer,
  spike,
  'readiness-falls': ({ world, now }) => addFallenReport(world.reports, world.seed, now),
  'controls-loosened': ({ world, now }) => addLooseRevision(world.controls, world.seed, now),
  'late-batch': ({ faults }) => void faults.add({ effect: { kind: 'batch', fault: 'late' } }),
  'zero-batch': ({ faults }) => void faults.add({ effect: { kind: 'batch', fault: 'zero' } }),
  'v0-off': ({ faults }) => void faults.add({ effect: { kind: 'v0-off' } }),
  /** A computer fails, somebody burns credits, and every fifth request meets a 503. */
  incident: (stage) => {
    failComputer(stage);
    spike(stage);
    const effect = { kind: 'status', status: 503, body: 'html' } as const;
    stage.faults.add({ match: { probability: 0.2 }, effect });
  },
};

export function playScenario(name: ScenarioName, stage: Stage): void {
  SCENARIOS[name](stage);
}

export function isScenarioName(name: unknown): name is ScenarioName {
  return SCENARIO_NAMES.some((each) => each === name);
}

/** The first computer that is well and was installed by the service fails at it. */
function failComputer({ world, now }: Stage): void {
  const computer = world.computers.find(
    ({ status, providerType }) => status === 'active' && providerType !== 'byom',
  );
  const step = computer?.provisioningSteps?.find(({ name }) => name === INSTALL_STEP);
  const session = world.sessions.at(-1);
  if (computer === undefined || step === undefined || session === undefined) return;
  computer.status = 'error';
  step.status = 'failed';
  step.error = 'npm ci ended with exit code 137';
  step.installSessionId = session.sessionId;
  step.startedAt = now;
  delete step.completedAt;
}

/** Yesterday one person burned far more than ever. */
function spike({ world, now }: Stage): void {
  world.spikes.add(addDays(dayOf(now), -1));
}
