import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Mute, Policy, ProjectSettings } from '../core/policy.ts';
import type { Planned } from './plan.ts';

/** The mute that applies to an event on a channel for this recipient, the longest first; null without one. */
export function muteFor(
  mutes: readonly Mute[],
  event: Pick<HookEvent, 'sessionKey' | 'project' | 'agent' | 'kind'>,
  { channel, recipient = null }: { readonly channel: string; readonly recipient?: string | null },
  now: number,
): Mute | null {
  const holding = mutes.filter(
    (mute) =>
      (mute.until === null || mute.until > now) &&
      fits(mute.sessionKey, event.sessionKey) &&
      fits(mute.project, event.project) &&
      fits(mute.agent, event.agent) &&
      fits(mute.kind, event.kind) &&
      fits(mute.channel, channel) &&
      fits(mute.person ?? null, recipient),
  );
  return holding.toSorted((left, right) => endOf(right) - endOf(left))[0] ?? null;
}

function endOf({ until }: Mute): number {
  return until ?? Number.POSITIVE_INFINITY;
}

function fits(wanted: string | null, actual: string | null): boolean {
  return wanted === null || wanted === actual;
}

interface Narrowed {
  readonly planned: Planned;
  /** Null without project settings that apply. */
  readonly decision: Decision | null;
}

/** Removes messages that the project mutes for people; program channels get everything. */
export function applyProjectMutes(
  planned: Planned,
  { kind }: Pick<HookEvent, 'kind'>,
  {
    project,
    programChannels,
  }: { readonly project: ProjectSettings | null } & Pick<Policy, 'programChannels'>,
): Narrowed {
  if (project === null || planned.messages.length === 0) return { planned, decision: null };
  const aside = project.note === null ? '' : `"${project.file}": ${project.note}`;
  if (!project.mute.includes(kind)) {
    const decision: Decision = { stage: 'mute', verdict: 'note', reason: aside };
    return { planned, decision: aside === '' ? null : decision };
  }
  const messages = planned.messages.filter(({ channel }) => programChannels.includes(channel));
  const reason = `"${project.file}" mutes ${kind}: people are not notified${aside === '' ? '' : `; ${aside}`}`;
  return {
    planned: { ...planned, messages },
    decision: { stage: 'mute', verdict: 'stop', reason },
  };
}
