import type { AgentName } from './hook-event.ts';
import type { HookFacts } from './facts.ts';

/** The number of a process that may be an agent's, from what a hook wrote down; null where it is none. */
export function processId(fact: string | undefined): number | null {
  const pid = Number(fact);
  // 1 adopts orphans, so it is never an agent.
  return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
}

/** The agent's own process, or else what ran its hook, which is the agent or a shell that ended with the hook. */
export function agentProcess(agent: AgentName, facts: HookFacts): number | null {
  // An agent that Claude Code started inherits the variable: then it names another process.
  const own = agent === 'claude' ? processId(facts.claude_pid) : null;
  return own ?? processId(facts.ppid);
}
