import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { ProjectSettings } from '../core/project-settings.ts';
import type { Planned } from './plan.ts';

export interface Narrowed {
  readonly planned: Planned;
  /** Null where the project asks for nothing. */
  readonly decision: Decision | null;
}

/** Leaves out what the project does not want people to be told; channels that serve machines get everything in any case. */
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
  const reason = `"${project.file}" mutes ${kind}: no person is told${aside === '' ? '' : `; ${aside}`}`;
  return {
    planned: { ...planned, messages },
    decision: { stage: 'mute', verdict: 'stop', reason },
  };
}
