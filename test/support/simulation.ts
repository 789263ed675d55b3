import { traitsOf } from '../../src/agents/registry.ts';
import {
  openSimulation,
  type Simulation,
  type SimulationOptions,
} from '../../src/alerts/simulate.ts';
import { openMemoryStore } from '../../src/store/open-store.ts';

export type TestSimulation = Simulation & AsyncDisposable;

/** A simulation on the real store in memory, closed at the end of an `await using` block. */
export async function testSimulation(
  options: Omit<SimulationOptions, 'agents' | 'openStore'>,
): Promise<TestSimulation> {
  const simulation = await openSimulation({
    ...options,
    agents: traitsOf,
    openStore: openMemoryStore,
  });
  return { ...simulation, [Symbol.asyncDispose]: () => simulation.close() };
}
