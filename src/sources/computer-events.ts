import type { Computer } from '../api/index.ts';
import type { Person } from '../core/concerned.ts';
import { durationText } from '../core/duration-text.ts';
import { displayLine } from '../core/sanitize.ts';
import { shellWord } from '../core/shell-word.ts';
import type { SourceEvent } from '../core/source-event.ts';
import { currentStep } from './computer-phase.ts';

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
