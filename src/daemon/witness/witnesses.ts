import { join } from 'node:path';

import { dialects } from '../../agents/registry.ts';
import type { Dialect } from '../../agents/support/dialect.ts';
import { createAgentProcesses } from './agent-process.ts';
import { createWitnessWatch, type WitnessWatchOptions } from './witness-watch.ts';

type Particular = 'agent' | 'witness' | 'directory' | 'movedBy' | 'processes';

interface WitnessesOptions extends Omit<WitnessWatchOptions, Particular> {
  readonly home: string;
  readonly uid: number | null;
}

/** A watch for each agent whose sessions can be seen without a hook. */
export function createWitnesses({ home, uid, ...options }: WitnessesOptions) {
  const watches = Object.values(dialects).flatMap((dialect: Dialect) => {
    const { agent, witness, traits, registrations } = dialect;
    const movedBy = registrations.find((one) => one.movedBy !== undefined)?.movedBy;
    if (witness === undefined || movedBy === undefined || traits.processes === undefined) return [];
    const processes = createAgentProcesses({
      programs: traits.processes,
      proof: witness.proof,
      uid,
      now: options.now,
    });
    return createWitnessWatch({
      ...options,
      agent,
      witness,
      directory: join(home, movedBy.directory),
      movedBy: movedBy.variable,
      processes,
    });
  });
  return {
    async beat() {
      await Promise.all(watches.map((watch) => watch.beat()));
    },
    start: () => watches.forEach((watch) => watch.start()),
    stop: () => watches.forEach((watch) => watch.stop()),
  };
}
