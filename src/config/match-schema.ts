import { homedir } from 'node:os';

import { z } from 'zod';

import { agentNames, type Kind, routedKinds, waitingKinds } from '../core/hook-event.ts';
import { severities } from '../core/notification.ts';
import type { Match } from '../core/policy.ts';
import { duration, hourRange, oneOrMore } from './units.ts';

/** Names for common groups of kinds; "*" is every kind. */
const kindGroups: Readonly<Record<'waiting' | 'failed' | 'done' | '*', readonly Kind[]>> = {
  waiting: waitingKinds,
  failed: ['turn.failed'],
  done: ['turn.done'],
  '*': routedKinds,
};

const kind = z.enum([...routedKinds, 'waiting', 'failed', 'done', '*']);
const globs = oneOrMore(z.string().min(1)).exactOptional();

/** Kinds and groups of kinds; parsed to kinds. */
export const kindsSchema = oneOrMore(kind).transform(expandKinds);

/** Conditions of a route; parsed to the policy's `Match`. */
export const matchSchema = z
  .strictObject({
    kind: oneOrMore(kind)
      .exactOptional()
      .describe(
        'Kind of event; the groups "waiting", "failed" and "done" stand for several kinds, "*" for all',
      ),
    agent: oneOrMore(z.enum(agentNames)).exactOptional().describe('Agent'),
    machine: globs.describe('Globs on the name of the paired machine that sent the event'),
    person: globs.describe("Globs on the email address of the machine's owner; at a hub"),
    team: globs.describe('Globs on the team of that person; at a hub'),
    event: globs.describe(
      'Globs on the original name of the event, such as Notification or "budget.*"',
    ),
    project: globs.describe(
      'Globs (* and ?) on the name of the project, or on its directory if they contain a slash',
    ),
    tool: globs.describe('Globs on the name of the tool'),
    severity: oneOrMore(z.enum(severities))
      .exactOptional()
      .describe('"critical": something failed, "warning": you have to act, "info": the rest'),
    longer_than: duration().exactOptional().describe('Turns that took longer than this'),
    subagent: z.boolean().exactOptional().describe('Whether a subagent caused the event'),
    attended: z.boolean().exactOptional().describe('Whether the session is interactive'),
    title: globs.describe('Globs on the title of the session'),
    message: globs.describe("Globs on the agent's text"),
    reason: globs.describe(
      'Globs on the reason in the event: why a session ended, such as "error"',
    ),
    hours: hourRange
      .exactOptional()
      .describe('Hours of the day, such as "09:00-18:00" or { from, to, timezone }'),
    permission_mode: globs.describe("The agent's name for its permission mode, such as plan"),
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

/** Expands "~/work/*", because hooks report absolute directories. */
function inHome(glob: string): string {
  return glob.startsWith('~/') ? `${homedir()}${glob.slice(1)}` : glob;
}

/** Expands names and groups to kinds in the order of `routedKinds`, so that equal conditions compare as equal. */
function expandKinds(names: readonly z.output<typeof kind>[]): readonly Kind[] {
  const wanted = new Set<Kind>(
    names.flatMap((name) => (isGroup(name) ? kindGroups[name] : [name])),
  );
  return routedKinds.filter((name) => wanted.has(name));
}

function isGroup(name: string): name is keyof typeof kindGroups {
  return Object.hasOwn(kindGroups, name);
}
