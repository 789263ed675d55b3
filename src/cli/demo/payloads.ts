import { join } from 'node:path';

import type { Actor } from './cast.ts';

/** What an agent hands to its hook, in the words of that agent. */
export type Payload = Readonly<Record<string, unknown>>;

/** Makes the payloads of a session, as droid and Claude Code send them. */
export interface Script {
  /** A tool is to run, and the agent may not run it by itself. */
  permission(tool: string, input: Payload): Payload;
  question(text: string): Payload;
  /** The person answered in the session. */
  answer(text: string): Payload;
  stop(): Payload;
}

/** @param home directory that stands for the person's home */
export function scriptOf({ agent, project, sessionId }: Actor, home: string): Script {
  const base = {
    session_id: sessionId,
    cwd: join(home, 'work', project),
    transcript_path: join(home, `.${agent}`, 'sessions', `${sessionId}.jsonl`),
  };
  const notification = (type: string, message: string): Payload => ({
    ...base,
    hook_event_name: 'Notification',
    notification_type: type,
    message,
  });
  return {
    // Claude Code has an event of its own for it, droid a notification.
    permission: (tool, input) =>
      agent === 'claude'
        ? { ...base, hook_event_name: 'PermissionRequest', tool_name: tool, tool_input: input }
        : notification('permission_prompt', `Droid needs your permission to use ${tool}`),
    question: (text) => notification('elicitation_dialog', text),
    answer: (prompt) => ({ ...base, hook_event_name: 'UserPromptSubmit', prompt }),
    stop: () => ({ ...base, hook_event_name: 'Stop', stop_hook_active: false }),
  };
}
