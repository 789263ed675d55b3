import { homedir } from 'node:os';

import { z } from 'zod';

import { agentNames, type Kind, routedKinds } from '../core/hook-event.ts';
import { severities } from '../core/notification.ts';
import type { Match } from '../core/policy.ts';
import { duration } from './units.ts';
import { hourRange, oneOrMore } from './hours-schema.ts';

/** Short names for kinds people want together; "*" is every kind. */
const kindGroups: Readonly<Record<'waiting' | 'failed' | 'done' | '*', readonly Kind[]>> = {
  waiting: ['needs.permission', 'needs.input'],
  failed: ['turn.failed'],
  done: ['turn.done'],
  '*': routedKinds,
};

const kind = z.enum([...routedKinds, 'waiting', 'failed', 'done', '*']);
const text = z.string().min(1);

/** Kinds and groups of them; comes out as kinds. */
export const kindsSchema = oneOrMore(kind).transform(expandKinds);

/** Which events a route takes; comes out as the policy's `Match`. */
export const matchSchema = z
  .strictObject({
    kind: oneOrMore(kind)
      .exactOptional()
      .describe(
        'What happened; the groups "waiting", "failed" and "done" stand for kinds, "*" for all',
      ),
    agent: oneOrMore(z.enum(agentNames)).exactOptional().describe('Which agent'),
    machine: oneOrMore(text)
      .exactOptional()
      .describe('Globs on the name of the paired machine it came from'),
    event: oneOrMore(text)
      .exactOptional()
      .describe('Globs on the own name of the event, such as Notification or "budget.*"'),
    project: oneOrMore(text)
      .exactOptional()
      .describe('Globs (* and ?) on the name of the project or, with a slash, on its directory'),
    tool: oneOrMore(text).exactOptional().describe('Name of the tool, or globs on it'),
    severity: oneOrMore(z.enum(severities))
      .exactOptional()
      .describe('"critical": something failed, "warning": somebody has to act, "info": the rest'),
    longer_than: duration().exactOptional().describe('Of a turn: it took longer than that'),
    subagent: z
      .boolean()
      .exactOptional()
      .describe('Whether the event comes from inside a subagent'),
    attended: z.boolean().exactOptional().describe('Whether a person sits at the session'),
    title: oneOrMore(text).exactOptional().describe('Globs on the title of the session'),
    message: oneOrMore(text).exactOptional().describe("Globs on the agent's text"),
    reason: oneOrMore(text)
      .exactOptional()
      .describe('Globs on the reason an event gives: why a session ended, such as "error"'),
    hours: hourRange
      .exactOptional()
      .describe('Hours of the day, such as "09:00-18:00" or { from, to, timezone }'),
    permission_mode: oneOrMore(text)
      .exactOptional()
      .describe("The agent's own name of its permission mode, such as plan"),
  })
  .transform(({ kind: names, longer_than, permission_mode, project, ...same }): Match => {
    const wanted = names === undefined ? routedKinds : expandKinds(names);
    return {
      ...same,
      ...(project !== undefined && { project: project.map(inHome) }),
      ...(wanted.length < routedKinds.length && { kind: wanted }),
      ...(longer_than !== undefined && { longerThanMs: longer_than }),
      ...(permission_mode !== undefined && { permissionMode: permission_mode }),
    };
  });

/** "~/work/*" as a glob on directories, which hooks name in full. */
function inHome(glob: string): string {
  return glob.startsWith('~/') ? `${homedir()}${glob.slice(1)}` : glob;
}

/** The kinds behind names and groups, in the order of `routedKinds`, so that equal conditions compare as equal. */
function expandKinds(names: readonly z.output<typeof kind>[]): readonly Kind[] {
  const wanted = new Set<Kind>(
    names.flatMap((name) => (isGroup(name) ? kindGroups[name] : [name])),
  );
  return routedKinds.filter((name) => wanted.has(name));
}

function isGroup(name: string): name is keyof typeof kindGroups {
  return Object.hasOwn(kindGroups, name);
}
