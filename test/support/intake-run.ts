import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Quarantined } from '../../src/core/store-aging.ts';
import type { HookRecord } from '../../src/core/hook-event.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createIntake, type Intake, type IntakeOptions } from '../../src/intake/intake.ts';
import type { IntakeTrouble } from '../../src/intake/trouble.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** An intake on real directories, with a store in memory and hands to turn its clock. */
export interface IntakeRun extends AsyncDisposable {
  readonly intake: Intake;
  readonly spool: string;
  readonly quarantine: string;
  /** Groups of events in the order of their commits. */
  readonly groups: readonly (readonly HookRecord[])[];
  readonly quarantined: readonly Quarantined[];
  readonly troubles: readonly (IntakeTrouble | null)[];
  committed(): readonly HookRecord[];
  /** Names that are still in the spool. */
  left(): readonly string[];
  advance(ms: number): void;
  /** Called with each group before it is committed; whatever it throws, the store throws. */
  beforeCommit: (records: readonly HookRecord[]) => Promise<void> | void;
}

export async function intakeRun(options: Partial<IntakeOptions> = {}): Promise<IntakeRun> {
  const directory = await temporaryDirectory();
  const spool = join(directory.path, 'spool');
  const quarantine = join(directory.path, 'quarantine');
  mkdirSync(spool, { mode: 0o700 });
  const groups: (readonly HookRecord[])[] = [];
  const quarantined: Quarantined[] = [];
  const troubles: (IntakeTrouble | null)[] = [];
  const known = new Set<string>();
  let monotonic = 0;

  const events: IntakeOptions['store']['events'] = {
    async accept(records) {
      await run.beforeCommit(records);
      groups.push(records);
      return records.map(({ event }) => {
        if (known.has(event.id)) return 'known';
        known.add(event.id);
        return 'committed';
      });
    },
  };
  const isolated: IntakeOptions['store']['quarantine'] = {
    async add(entry) {
      quarantined.push(entry);
    },
  };
  const intake = createIntake({
    spool,
    quarantine,
    store: { events, quarantine: isolated },
    decide: () => ({
      session: null,
      alerts: [],
      decisions: [],
      turnMs: null,
      deliveries: [],
      relay: false,
      cancel: [],
      withdraw: [],
    }),
    now: () => Date.now(),
    log: silentLog,
    onCommitted: () => undefined,
    onTrouble: (trouble) => void troubles.push(trouble),
    monotonic: () => monotonic,
    random: () => 0.5,
    isAlive: () => false,
    everyMs: 60_000,
    ...options,
  });
  const run: IntakeRun = {
    intake,
    spool,
    quarantine,
    groups,
    quarantined,
    troubles,
    committed: () => groups.flat(),
    left: () => readdirSync(spool).toSorted(),
    advance(ms) {
      monotonic += ms;
    },
    beforeCommit: () => undefined,
    async [Symbol.asyncDispose]() {
      await intake.stop();
      await directory[Symbol.asyncDispose]();
    },
  };
  return run;
}
