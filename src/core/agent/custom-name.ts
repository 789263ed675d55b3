import type { HookFacts } from '../facts.ts';
import { type AgentName, agentLabels } from '../hook-event.ts';

/** What `install --agent` calls an agent that hookbell does not know. */
export const CUSTOM_AGENT = 'custom';

const taken: readonly string[] = [CUSTOM_AGENT, ...Object.entries(agentLabels).flat()];

/** Whether a registered command may name an agent so: on one line, and not as an agent that hookbell knows. */
export function isCustomName(name: string): boolean {
  return (
    /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u.test(name) &&
    !taken.some((one) => one.toLowerCase() === name.toLowerCase())
  );
}

interface Sender {
  readonly agent: AgentName;
  readonly facts: HookFacts;
}

/** What an agent is called that hookbell does not know: as the command says that it runs. Null for the others. */
export function customNameOf({ agent, facts }: Sender): string | null {
  const named = agent === 'unknown' || agent === 'program' ? facts.agent : undefined;
  return named !== undefined && isCustomName(named) ? named : null;
}

/** What people call an agent, within a sentence. */
export function agentLabelOf(sender: Sender): string {
  return customNameOf(sender) ?? agentLabels[sender.agent];
}
