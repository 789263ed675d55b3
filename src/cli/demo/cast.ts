import { FailedError } from '../../core/errors.ts';
import type { Mock } from '../../mock/server.ts';

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
    if (actor === undefined) throw new RangeError(`Nobody works in "${project}"`);
    return actor;
  };
}
