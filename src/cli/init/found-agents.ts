import { inspectHooks } from '../../setup/inspect-hooks.ts';
import type { CommandContext } from '../context.ts';
import { installPlaces, registrableAgents } from '../install-places.ts';

/** The agents that hookbell can register with, and those of them that are on this machine. */
export async function foundAgents(
  context: CommandContext,
): Promise<{ readonly agents: readonly string[]; readonly found: readonly string[] }> {
  const { home, searchPath, env, paths } = installPlaces(context);
  const { configHome, state } = paths;
  const surroundings = { base: home, home, configHome, state, searchPath, env };
  const agents = new Set<string>();
  const found = new Set<string>();
  for (const agent of registrableAgents()) {
    agents.add(agent.agent);
    if ((await inspectHooks(agent, surroundings)).installed) found.add(agent.agent);
  }
  return { agents: [...agents], found: [...found] };
}
