import { join } from 'node:path';

import { FailedError } from '../../platform/errors.ts';
import type { Mock } from '../../vendor/reference-service/server.ts';

/** A session that plays a part: one of an agent, which the reference service knows by its id. */
export interface Actor {
  readonly agent: 'droid' | 'claude';
  /** What people call the agent. */
  readonly name: string;
  readonly project: string;
  readonly sessionId: string;
  /** What the reference service calls the session. */
  readonly title: string;
}

const PARTS = [
  ['droid', 'shop'],
  ['claude', 'web'],
  ['droid', 'billing'],
  ['droid', 'docs'],
  ['claude', 'mobile'],
  ['droid', 'infra'],
  ['claude', 'search'],
  ['droid', 'deploy'],
  ['droid', 'payments'],
  ['claude', 'mail'],
  ['droid', 'reports'],
] as const;

export type Project = (typeof PARTS)[number][1];

/** Who works in a project. */
export type Cast = (project: Project) => Actor;

/** Gives every project a session of its own: idle, titled, and never two with one title. */
export function castOf(mock: Mock): Cast {
  const free = mock
    .state()
    .sessions.filter(({ status, title }) => status === 'idle' && title !== undefined);
  const actors = new Map(
    PARTS.map(([agent, project], index): [Project, Actor] => {
      const { sessionId, title = '' } = free[index] ?? {};
      if (sessionId === undefined)
        throw new FailedError('The reference service has too few sessions');
      const name = agent === 'droid' ? 'Droid' : 'Claude Code';
      return [project, { agent, name, project, sessionId, title }];
    }),
  );
  return (project) => {
    const actor = actors.get(project);
    if (actor === undefined) throw new RangeError(`No actor plays in "${project}"`);
    return actor;
  };
}

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
