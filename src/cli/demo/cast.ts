import { join } from 'node:path';

import { FailedError } from '../../platform/errors.ts';
import type { Mock } from '../../vendor/reference-service/reference-server.ts';

/** A session of an agent in the demo, known to the reference service by its id. */
export interface Actor {
  readonly agent: 'droid' | 'claude';
  /** Display name of the agent. */
  readonly name: string;
  readonly project: string;
  readonly sessionId: string;
  /** Title of the session at the reference service. */
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

/** Returns the session that works in a project. */
export type Cast = (project: Project) => Actor;

/** Gives every project a separate idle session with a unique title. */
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

/** Payload of a hook, in the format of its agent. */
export type DemoPayload = Readonly<Record<string, unknown>>;

/** Builds the payloads of a session as droid and Claude Code send them. */
export interface Script {
  /** The agent asks for permission to run a tool. */
  permission(tool: string, input: DemoPayload): DemoPayload;
  question(text: string): DemoPayload;
  /** The person answered in the session. */
  answer(text: string): DemoPayload;
  stop(): DemoPayload;
}

/** @param home directory that stands for the person's home */
export function scriptOf({ agent, project, sessionId }: Actor, home: string): Script {
  const base = {
    session_id: sessionId,
    cwd: join(home, 'work', project),
    transcript_path: join(home, `.${agent}`, 'sessions', `${sessionId}.jsonl`),
  };
  const notification = (type: string, message: string): DemoPayload => ({
    ...base,
    hook_event_name: 'Notification',
    notification_type: type,
    message,
  });
  return {
    // Claude Code sends a separate event for it, droid a notification.
    permission: (tool, input) =>
      agent === 'claude'
        ? { ...base, hook_event_name: 'PermissionRequest', tool_name: tool, tool_input: input }
        : notification('permission_prompt', `Droid needs your permission to use ${tool}`),
    question: (text) => notification('elicitation_dialog', text),
    answer: (prompt) => ({ ...base, hook_event_name: 'UserPromptSubmit', prompt }),
    stop: () => ({ ...base, hook_event_name: 'Stop', stop_hook_active: false }),
  };
}
