import { z } from 'zod';

import type { ComputerWatchPolicy } from '../../config/poller-schema.ts';
import type { PollerMemory } from '../../core/source-event.ts';
import type { Client, Computer } from '../client/index.ts';
import {
  computerFailed,
  computerOver,
  type ComputerPhase,
  computerSlow,
  currentStep,
  failureMark,
  phaseOf,
  phases,
} from './computer-events.ts';
import { createPoller, type CreatePoller, type PollOnce, type PollerParts } from './poller.ts';

export interface ComputersPollerOptions extends Pick<PollerParts, 'raise' | 'now'> {
  readonly policy: ComputerWatchPolicy;
  /** All computers; rejects as the client does. */
  readonly computers: () => ReturnType<Client['computers']['list']>;
  /** The title of a session; null if not available. */
  readonly titleOf: (sessionId: string) => Promise<string | null>;
  readonly memory: PollerMemory;
}

/** Polls the computers of the service. */
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
export function createComputersPoll({
  policy,
  computers,
  titleOf,
  raise,
  memory,
  now,
}: ComputersPollerOptions): PollOnce {
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
    await raise(
      phase === 'failed'
        ? computerFailed(computer, seen, title)
        : computerSlow(computer, { ...seen, forMs: policy.provisioningMs }, title),
    );
    return { ...seen, told: true };
  }

  function troubleOf(computer: Computer, phase: ComputerPhase, forMs: number): string | null {
    if (phase === 'failed') return failureMark(computer);
    return phase === 'provisioning' && forMs > policy.provisioningMs ? SLOW : null;
  }
}
