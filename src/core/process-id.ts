import type { AgentName } from './hook-event.ts';
import type { HookFacts } from './facts.ts';

/** A process id that may be an agent's, from a hook's header; null if it cannot be. */
export function processId(fact: string | undefined): number | null {
  const pid = Number(fact);
  // Process 1 adopts orphans, so it is never an agent.
  return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
}

/** The agent's process, or else the one that ran its hook: the agent, or a shell that ended with the hook. */
export function agentProcess(agent: AgentName, facts: HookFacts): number | null {
  // An agent started by Claude Code inherits the variable, which then names another process.
  const agentPid = agent === 'claude' ? processId(facts.claude_pid) : null;
  return agentPid ?? processId(facts.ppid);
}
