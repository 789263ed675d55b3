import { shiftDay, utcDayOf } from './days.ts';
import { INSTALL_STEP } from './data/computers-data.ts';
import { addLooseRevision } from './data/controls-data.ts';
import { addFallenReport } from './data/readiness-data.ts';
import { planWork } from './data/sessions-data.ts';
import type { FaultRules } from './faults/rules.ts';
import type { World } from './world.ts';

/** What a scenario moves; everything it does is undone by a reset. */
interface Stage {
  readonly world: World;
  readonly faults: FaultRules;
  /** Unix ms. */
  readonly now: number;
}

interface Scenario {
  /** For people. */
  readonly what: string;
  readonly play: (stage: Stage) => void;
}

const scenarios = {
  work: {
    what: 'Three idle sessions get something to do',
    // One after the other, ten seconds apart.
    play: ({ world, now }) => {
      const idle = world.sessions.filter(({ status }) => status === 'idle').slice(0, 3);
      for (const [index, session] of idle.entries()) planWork(session, now + index * 10_000);
    },
  },
  'computer-fails': { what: 'The installation of a computer fails', play: failComputer },
  spike: { what: 'A user spent far more credits yesterday than ever before', play: spike },
  'readiness-falls': {
    what: 'A new readiness report fails a criterion that passed before',
    play: ({ world, now }) => addFallenReport(world.reports, world.seed, now),
  },
  'controls-loosened': {
    what: 'A user allows one more command and changes the key of a custom model',
    play: ({ world, now }) => addLooseRevision(world.controls, world.seed, now),
  },
  'late-batch': {
    what: 'Analytics have no data of yesterday',
    play: ({ faults }) => void faults.add({ effect: { kind: 'batch', fault: 'late' } }),
  },
  'zero-batch': {
    what: 'Analytics have only zeros for yesterday',
    play: ({ faults }) => void faults.add({ effect: { kind: 'batch', fault: 'zero' } }),
  },
  'v0-off': {
    what: 'Everything below /api/v0 is refused with 403',
    play: ({ faults }) => void faults.add({ effect: { kind: 'v0-off' } }),
  },
  incident: {
    what: 'A computer fails, credit usage spikes, and every fifth request fails with a 503',
    play: (stage) => {
      failComputer(stage);
      spike(stage);
      const effect = { kind: 'status', status: 503, body: 'html' } as const;
      stage.faults.add({ match: { probability: 0.2 }, effect });
    },
  },
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof scenarios;

export function playScenario(name: ScenarioName, stage: Stage): void {
  scenarios[name].play(stage);
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

/** Yesterday one person used far more credits than ever. */
function spike({ world, now }: Stage): void {
  world.spikes.add(shiftDay(utcDayOf(now), -1));
}
