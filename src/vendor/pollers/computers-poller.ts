import { z } from 'zod';
import type { ComputerWatchPolicy } from '../../config/poller-schema.ts';
import type { PollerMemory, SourceEvent } from '../../core/source-event.ts';
import {
  type Client,
  type Computer,
  failedStep,
  type ProvisioningStep,
  stepState,
} from '../client/index.ts';
import { createPoller, type CreatePoller, type PollOnce, type PollerParts } from './poller.ts';
import { createHash } from 'node:crypto';
import type { Person } from '../../core/looked-up.ts';
import { durationText } from '../../text/duration.ts';
import { shellWord } from '../../text/escape.ts';
import { displayLine } from '../../text/sanitize.ts';

export interface ComputersPollerOptions extends Pick<PollerParts, 'raise' | 'now'> {
  readonly policy: ComputerWatchPolicy;
  /** All computers; rejects as the client does. */
  readonly computers: () => ReturnType<Client['computers']['list']>;
  readonly titleOf: (sessionId: string) => Promise<string | null>;
  readonly memory: PollerMemory;
}

export const computersJob: CreatePoller<ComputerWatchPolicy> = (policy, parts) => {
  const { api, signal } = parts;
  const call = { priority: 'background', signal } as const;
  const look = createComputersPoll({
    ...parts,
    policy,
    computers: () => api.computers.list({}, call),
    async titleOf(sessionId) {
      try {
        return (await api.sessions.get({ sessionId }, { ...call, maxRetries: 0 })).title ?? null;
      } catch {
        // The alert matters more than the title, so it does not wait for it.
        return null;
      }
    },
    memory: parts.memory('computers'),
  });
  return createPoller({ ...parts, pollInterval: policy.pollInterval, look });
};

/**
 * - `failed`: its status is an error, or one of its steps failed
 * - `provisioning`: in setup
 * - `active`: ready to use
 * - `unknown`: never reported
 */
const phases = ['failed', 'provisioning', 'active', 'unknown'] as const;
type ComputerPhase = (typeof phases)[number];

const seenSchema = z.object({
  name: z.string(),
  phase: z.enum(phases),
  /** When it was first seen in this phase, Unix ms. */
  since: z.number(),
  /** Opaque mark of its current trouble; null: none. */
  trouble: z.string().nullable(),
  /** Whether the trouble was notified and not yet resolved. */
  told: z.boolean(),
  /** Counts recoveries, so that the same trouble after a recovery is notified again. */
  round: z.number(),
});
type Seen = z.output<typeof seenSchema>;
const memorySchema = z.object({ computers: z.record(z.string(), seenSchema) });
type Computers = z.output<typeof memorySchema>['computers'];

/** The mark of a setup that takes too long. */
const SLOW = 'slow';

/**
 * Raises "computer.failed" and "computer.slow", again after each retry, and "computer.active" or "computer.gone" when that is
 * over. The very first poll raises no events.
 */
export function createComputersPoll(options: ComputersPollerOptions): PollOnce {
  const { policy, computers, titleOf, raise, memory, now } = options;
  return async () => {
    const { computers: listed, badItems } = await computers();
    const before = memorySchema.safeParse(await memory.read()).data?.computers ?? null;
    const found = new Map<string, Seen>();
    for (const computer of listed) found.set(computer.id, await follow(computer, before));
    for (const [id, seen] of Object.entries(before ?? {})) {
      if (found.has(id)) continue;
      // It may be the computer whose entry could not be read.
      if (badItems.length > 0) found.set(id, seen);
      else if (seen.told) await raise(computerOver({ ...seen, id }, 'gone'));
    }
    const after = Object.fromEntries(found);
    const hasMoved = JSON.stringify(after) !== JSON.stringify(before);
    if (hasMoved) await memory.write({ computers: after });
    const isBusy = [...found.values()].some(({ phase }) => phase === 'provisioning');
    return hasMoved || isBusy ? 'moving' : 'still';
  };

  async function follow(computer: Computer, previous: Computers | null): Promise<Seen> {
    const { id, name } = computer;
    const before = previous?.[id];
    const reported = phaseOf(computer);
    if (reported === null && before !== undefined) return { ...before, name };
    const phase = reported ?? 'unknown';
    const isNewPhase = before?.phase !== phase;
    const since = before === undefined || isNewPhase ? now() : Math.min(before.since, now());
    const seen: Seen = {
      name,
      phase,
      since,
      trouble: troubleOf(computer, phase, now() - since),
      told: before?.told ?? false,
      round: before?.round ?? 0,
    };
    if (before !== undefined && before.phase === 'failed' && isNewPhase) seen.round += 1;
    if (seen.trouble === null) {
      // The outcome of a new setup is still unknown.
      if (!seen.told || phase === 'provisioning') return seen;
      await raise(computerOver({ ...seen, id }, 'active'));
      return { ...seen, told: false, round: seen.round + 1 };
    }
    const isNews = isNewPhase || before.trouble !== seen.trouble;
    if (!isNews || previous === null) return seen;
    const session = currentStep(computer)?.installSessionId ?? null;
    const title = session === null ? null : await titleOf(session);
    const slowMs = phase === 'failed' ? null : policy.provisioningMs;
    await raise(computerTrouble(computer, seen, slowMs, title));
    return { ...seen, told: true };
  }

  function troubleOf(computer: Computer, phase: ComputerPhase, forMs: number): string | null {
    if (phase === 'failed') return failureMark(computer);
    return phase === 'provisioning' && forMs > policy.provisioningMs ? SLOW : null;
  }
}

/** Null if unknown: the service may omit the status. */
function phaseOf(computer: Computer): Exclude<ComputerPhase, 'unknown'> | null {
  const { status } = computer;
  if (status === 'error' || failedStep(computer) !== null) return 'failed';
  if (status === 'provisioning') return 'provisioning';
  return status === 'active' ? 'active' : null;
}

/** Identifies a failure; differs for a failure after a retry; does not contain the error text. */
function failureMark(computer: Computer): string {
  const { id, name, error, startedAt } = failedStep(computer) ?? {};
  const facts = JSON.stringify([computer.status, id, name, error, startedAt]);
  return createHash('sha256').update(facts).digest('hex').slice(0, 16);
}

/** The current step during setup: the failed one, else the first without an end. */
function currentStep(computer: Computer): ProvisioningStep | null {
  const open = computer.provisioningSteps?.find((step) => stepState(step) === 'open');
  return failedStep(computer) ?? open ?? null;
}

type Mark = Pick<Seen, 'trouble' | 'round'>;

/**
 * @param slowMs the setup has taken longer than this; null: it failed
 * @param installTitle title of the session that ran the failed step; null if unknown
 */
function computerTrouble(
  computer: Computer,
  mark: Mark,
  slowMs: number | null,
  installTitle: string | null,
): SourceEvent {
  const step = currentStep(computer);
  const name = `Computer "${displayLine(computer.name)}"`;
  const at = step === null ? '' : `at "${stepName(step)}"`;
  const slow = `has been in setup for more than ${durationText(slowMs ?? 0)}${at && `, now ${at}`}`;
  return {
    ...common(computer, mark, installTitle),
    event: slowMs === null ? 'computer.failed' : 'computer.slow',
    failed: slowMs === null,
    headline: `${name} ${slowMs === null ? `failed${at && ` ${at}`}` : slow}`,
  };
}

/** Resolves the alert about it. */
function computerOver(
  { id, name, round }: Pick<Seen, 'name' | 'round'> & { readonly id: string },
  why: 'active' | 'gone',
): SourceEvent {
  const what = why === 'active' ? 'is active again' : 'no longer exists';
  return {
    id: `computer ${id} ${round} ${why}`,
    kind: 'notice.over',
    event: `computer.${why}`,
    about: `computer/${id}`,
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
    about: `computer/${id}`,
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

/** The owner, if a person. */
function ownerOf({ ownerId, ownerPrincipalKind: kind }: Computer): { readonly concerns?: Person } {
  const isPerson = (kind ?? '') === '' || /user/i.test(kind ?? '');
  return isPerson && ownerId ? { concerns: { id: ownerId, email: null } } : {};
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
