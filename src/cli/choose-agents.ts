import { UsageError } from '../platform/errors.ts';
import type { RegistrableAgent } from '../setup/hook-places.ts';
import { registrableAgents } from './install-places.ts';

/** Returns the registrable agents with these names; all of them if no name is given. */
export function chooseAgents(names: readonly string[]): readonly RegistrableAgent[] {
  const all = registrableAgents();
  if (names.length === 0) return all;
  return [...new Set(names)].flatMap((name) => {
    const found = all.filter(({ agent }) => agent === name);
    if (found.length > 0) return found;
    throw new UsageError(`Cannot register hooks with agent "${name}"`, {
      hint: `Supported agents: ${[...new Set(all.map(({ agent }) => agent))].join(', ')}`,
    });
  });
}
