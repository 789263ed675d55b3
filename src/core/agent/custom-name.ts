import { agentLabels } from '../hook-event.ts';

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
