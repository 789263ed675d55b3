import { createHash } from 'node:crypto';

import { type Computer, failedStep, type ProvisioningStep, stepState } from '../client/index.ts';
import type { Person } from '../../core/looked-up.ts';
import { durationText } from '../../text/duration.ts';
import { shellWord } from '../../text/escape.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { SourceEvent } from '../../core/source-event.ts';

/**
 * - `failed`: its status is an error, or one of its steps failed
 * - `provisioning`: in setup
 * - `active`: ready to use
 * - `unknown`: never reported
 */
export const phases = ['failed', 'provisioning', 'active', 'unknown'] as const;
export type ComputerPhase = (typeof phases)[number];

/** Null if unknown: the service may omit the status. */
export function phaseOf(computer: Computer): Exclude<ComputerPhase, 'unknown'> | null {
  const { status } = computer;
  if (status === 'error' || failedStep(computer) !== null) return 'failed';
  if (status === 'provisioning') return 'provisioning';
  return status === 'active' ? 'active' : null;
}

/** Identifies a failure; differs for a failure after a retry; does not contain the error text. */
export function failureMark(computer: Computer): string {
  const { id, name, error, startedAt } = failedStep(computer) ?? {};
  const facts = JSON.stringify([computer.status, id, name, error, startedAt]);
  return createHash('sha256').update(facts).digest('hex').slice(0, 16);
}

/** The current step during setup: the failed one, else the first without an end. */
export function currentStep(computer: Computer): ProvisioningStep | null {
  const open = computer.provisioningSteps?.find((step) => stepState(step) === 'open');
  return failedStep(computer) ?? open ?? null;
}

/** Remembered state of a computer that identifies an event. */
interface Mark {
  readonly trouble: string | null;
  readonly round: number;
}

/** @param installTitle title of the session that ran the failed step; null if unknown */
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

/** @param forMs the setup has taken longer than this */
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
    headline: `Computer "${nameOf(computer)}" has been in setup for more than ${durationText(forMs)}${where}`,
  };
}

/** Resolves the alert about it. */
export function computerOver(
  { id, name, round }: { readonly id: string; readonly name: string; readonly round: number },
  why: 'active' | 'gone',
): SourceEvent {
  const what = why === 'active' ? 'is active again' : 'no longer exists';
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

/** The owner, if a person; owners of other kinds are ignored. */
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

/** A shell word for the computer: people paste it, so the id replaces a name with special characters. */
function wordFor({ id, name }: Computer): string {
  const isPlain = name === displayLine(name) && name !== '' && !name.startsWith('-');
  return shellWord(isPlain ? name : id);
}
