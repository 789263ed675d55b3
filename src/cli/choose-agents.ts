import { UsageError } from '../platform/errors.ts';
import type { RegistrableAgent } from '../setup/hook-places.ts';
import { registrableAgents } from './install-places.ts';

/** What can be registered with the agents of these names; with every agent where none is named. */
export function chooseAgents(names: readonly string[]): readonly RegistrableAgent[] {
  const all = registrableAgents();
  if (names.length === 0) return all;
  return [...new Set(names)].flatMap((name) => {
    const found = all.filter(({ agent }) => agent === name);
    if (found.length > 0) return found;
    throw new UsageError(`hookbell cannot register its hooks with agent "${name}"`, {
      hint: `It can with: ${[...new Set(all.map(({ agent }) => agent))].join(', ')}`,
    });
  });
}
