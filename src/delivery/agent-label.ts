import type { AgentName } from '../core/hook-event.ts';

/** How people know the agents; reads well in the middle of a sentence. */
export const agentLabels: Readonly<Record<AgentName, string>> = {
  droid: 'droid',
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  qwen: 'Qwen Code',
  cursor: 'Cursor',
  copilot: 'Copilot CLI',
  opencode: 'OpenCode',
  unknown: 'an agent',
  service: 'the service',
};
