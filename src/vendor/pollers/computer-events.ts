import { createHash } from 'node:crypto';

import { type Computer, failedStep, type ProvisioningStep, stepState } from '../client/index.ts';
import type { Person } from '../../core/recipient.ts';
import { durationText } from '../../text/duration.ts';
import { shellWord } from '../../text/escape.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { SourceEvent } from '../../core/source-event.ts';

/**
 * - `failed`: it says so, or one of its steps failed
 * - `provisioning`: it is being set up
 * - `active`: it can be used
 * - `unknown`: it never said
 */
export const phases = ['failed', 'provisioning', 'active', 'unknown'] as const;
export type ComputerPhase = (typeof phases)[number];

/** Null where it says nothing of it: the service may leave its status out. */
export function phaseOf(computer: Computer): Exclude<ComputerPhase, 'unknown'> | null {
  const { status } = computer;
  if (status === 'error' || failedStep(computer) !== null) return 'failed';
  if (status === 'provisioning') return 'provisioning';
  return status === 'active' ? 'active' : null;
}

/** The same for the same failure, and another one for a failure after a retry; says nothing of the error's text. */
export function failureMark(computer: Computer): string {
  const { id, name, error, startedAt } = failedStep(computer) ?? {};
  const facts = JSON.stringify([computer.status, id, name, error, startedAt]);
  return createHash('sha256').update(facts).digest('hex').slice(0, 16);
}

/** The step it is at while it is being set up: the failed one, else the first that has no end. */
export function currentStep(computer: Computer): ProvisioningStep | null {
  const open = computer.provisioningSteps?.find((step) => stepState(step) === 'open');
  return failedStep(computer) ?? open ?? null;
}

/** Of what is remembered of a computer: what makes an event the same event. */
interface Mark {
  readonly trouble: string | null;
  readonly round: number;
}

/** @param installTitle of the session that ran the step that failed; null where it is not known */
export function computerFailed(
  computer: Computer,
  mark: Mark,
  installTitle: string | null,
): SourceEvent {
  const step = currentStep(computer);
  const where = step === null ? '' : ` at "${stepName(step)}"`;
  return {
    ...common(computer, mark, installTitle),
    event: 'computer.failed',
    failed: true,
    headline: `Computer "${nameOf(computer)}" failed${where}`,
  };
}

/** @param forMs it is being set up for longer than this */
export function computerSlow(
  computer: Computer,
  { forMs, ...mark }: Mark & { readonly forMs: number },
  installTitle: string | null,
): SourceEvent {
  const step = currentStep(computer);
  const where = step === null ? '' : `, now at "${stepName(step)}"`;
  return {
    ...common(computer, mark, installTitle),
    event: 'computer.slow',
    failed: false,
    headline: `Computer "${nameOf(computer)}" is being set up for more than ${durationText(forMs)}${where}`,
  };
}

/** The alert about it is over. */
export function computerOver(
  { id, name, round }: { readonly id: string; readonly name: string; readonly round: number },
  why: 'active' | 'gone',
): SourceEvent {
  const what = why === 'active' ? 'is active again' : 'is no longer there';
  return {
    id: `computer ${id} ${round} ${why}`,
    kind: 'notice.over',
    event: `computer.${why}`,
    about: aboutOf(id),
    failed: false,
    headline: `Computer "${displayLine(name)}" ${what}`,
    details: '',
    payload: { computer: { id, name } },
  };
}

function common(computer: Computer, { trouble, round }: Mark, installTitle: string | null) {
  const { id, name, status } = computer;
  const step = currentStep(computer);
  const session = step?.installSessionId ?? null;
  const error = step?.error ?? null;
  return {
    id: `computer ${id} ${round} ${trouble}`,
    kind: 'notice',
    about: aboutOf(id),
    details: [
      ...(error === null ? [] : [`Error: ${error}`]),
      ...(session === null ? [] : [`Install session: ${installTitle ?? session}`]),
      `To install its dependencies again: hookbell service computers retry ${wordFor(computer)}`,
    ].join('\n'),
    payload: {
      computer: { id, name, status: status ?? null },
      step: step === null ? null : { name: step.name ?? step.id ?? null, error },
      installSession: session === null ? null : { sessionId: session, title: installTitle },
      ...ownerOf(computer),
    },
  } as const;
}

/** The person it belongs to; of an owner of another kind nobody is concerned. */
function ownerOf({ ownerId, ownerPrincipalKind: kind }: Computer): { readonly concerns?: Person } {
  const isPerson = (kind ?? '') === '' || /user/i.test(kind ?? '');
  return isPerson && ownerId ? { concerns: { id: ownerId, email: null } } : {};
}

function aboutOf(id: string): string {
  return `computer/${id}`;
}

function nameOf({ name }: Computer): string {
  return displayLine(name);
}

function stepName({ name, id }: { readonly name?: unknown; readonly id?: unknown }): string {
  const known = [name, id].find((one) => typeof one === 'string' && one !== '');
  return typeof known === 'string' ? displayLine(known) : 'an unnamed step';
}

/** What a shell takes for the computer: people paste it, so a name that could be anything else gives way to the id. */
function wordFor({ id, name }: Computer): string {
  const isPlain = name === displayLine(name) && name !== '' && !name.startsWith('-');
  return shellWord(isPlain ? name : id);
}
