import { z } from 'zod';
import type { ControlsWatchPolicy } from '../../config/poller-schema.ts';
import type { PollerMemory } from '../../core/source-event.ts';
import type { ControlChange, Page } from '../client/index.ts';
import { compareControls, controlTexts } from '../reports/compare-controls.ts';
import { createPoller, type CreatePoller, type PollOnce, type PollerParts } from './poller.ts';

export interface ControlsPollerOptions extends Pick<PollerParts, 'raise' | 'redactor'> {
  /** Newest revisions first; rejects as the client does. */
  readonly pages: () => AsyncIterable<Pick<Page<ControlChange>, 'items'>>;
  readonly memory: PollerMemory;
}

const PAGE = 100;

export const controlsJob: CreatePoller<ControlsWatchPolicy> = ({ pollInterval }, parts) => {
  const { api, memory, signal } = parts;
  return createPoller({
    ...parts,
    pollInterval,
    look: createControlsPoll({
      ...parts,
      pages: () =>
        api.organization.history({ limit: PAGE }, { priority: 'background', signal }).pages(),
      memory: memory('controls'),
    }),
  });
};

/** The newest revision seen; the settings themselves are not stored. */
const memorySchema = z.object({ revision: z.number() });

/**
 * Raises an event for each new revision of the enterprise controls, the oldest first: "controls.loosened", which is
 * critical, if it may loosen controls, else "controls.changed". The first poll raises no events.
 */
export function createControlsPoll(options: ControlsPollerOptions): PollOnce {
  const { pages, raise, memory, redactor } = options;
  return async () => {
    const storedRevision = memorySchema.safeParse(await memory.read()).data?.revision ?? null;
    const changes = await changesSince(storedRevision);
    const [newest] = changes;
    if (newest === undefined || newest.revision === storedRevision) return 'still';
    if (storedRevision === null || newest.revision < storedRevision) {
      // Lower numbers mean another history: start over.
      await memory.write({ revision: newest.revision });
      return 'still';
    }
    for (const [index, change] of [...changes.entries()].toReversed()) {
      if (change.revision <= storedRevision) continue;
      await raiseChange(changes[index + 1] ?? null, change);
      await memory.write({ revision: change.revision });
    }
    return 'moving';
  };

  /** By revision, descending, down to one already seen or the end; the first poll needs only one page. */
  async function changesSince(storedRevision: number | null): Promise<readonly ControlChange[]> {
    const found = new Map<number, ControlChange>();
    for await (const { items } of pages()) {
      // If the list grew at the top during paging, the next page repeats the end of this one.
      for (const change of items) found.set(change.revision, change);
      const isEnough =
        storedRevision === null || items.some(({ revision }) => revision <= storedRevision);
      if (isEnough && found.size > 0) break;
    }
    return [...found.values()].toSorted((one, other) => other.revision - one.revision);
  }

  async function raiseChange(before: ControlChange | null, change: ControlChange): Promise<void> {
    const compared = compareControls(before, change, redactor);
    const { by } = compared.after;
    const loosens = compared.changes.some((one) => one.loosens !== null);
    await raise({
      id: `controls ${change.revision} ${change.updatedAt ?? ''}`,
      kind: 'notice',
      event: loosens ? 'controls.loosened' : 'controls.changed',
      // Each change is separate: none replaces another.
      about: `controls/${change.revision}`,
      failed: loosens,
      ...controlTexts(compared),
      payload: { ...compared, concerns: { id: by.id, email: by.email } },
    });
  }
}
