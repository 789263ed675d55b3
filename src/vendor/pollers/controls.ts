import { z } from 'zod';

import type { ControlChange, Page } from '../client/index.ts';
import type { Redactor } from '../../text/redact.ts';
import type { RaiseEvent, SourceMemory } from '../../core/source-event.ts';
import type { ControlsWatchPolicy } from '../../core/vendor-policy.ts';
import { compareControls } from '../reports/compare-controls.ts';
import { controlTexts } from '../reports/control-texts.ts';
import { createPoller, type Look } from './poller.ts';
import type { CreateSource } from './source.ts';

export interface ControlsSourceOptions {
  /** The newest revisions first; rejects as the client does. */
  readonly pages: () => AsyncIterable<Pick<Page<ControlChange>, 'items'>>;
  readonly raise: RaiseEvent;
  readonly memory: SourceMemory;
  /** For what is secret by its look; what is secret by its name the client has hidden. */
  readonly redactor: Redactor;
}

const PAGE = 100;

/** Looks for changes of the enterprise controls from time to time. */
export const controlsJob: CreateSource<ControlsWatchPolicy> = ({ pace }, parts) => {
  const { api, memory, raise, redactor, signal } = parts;
  return createPoller({
    ...parts,
    pace,
    look: createControlsSource({
      pages: () =>
        api.organization.history({ limit: PAGE }, { lane: 'background', signal }).pages(),
      raise,
      memory: memory('controls'),
      redactor,
    }),
  });
};

/** The number of the newest revision that was seen: of the settings themselves nothing is kept. */
const memorySchema = z.object({ revision: z.number() });

/**
 * Raises an event for each new revision of the enterprise controls, the oldest first: "controls.loosened", which is
 * critical, where it may let more happen than before, else "controls.changed". What is there at first sight is no news.
 */
export function createControlsSource({
  pages,
  raise,
  memory,
  redactor,
}: ControlsSourceOptions): Look {
  return async () => {
    const kept = memorySchema.safeParse(await memory.read()).data?.revision ?? null;
    const changes = await changesSince(kept);
    const [newest] = changes;
    if (newest === undefined || newest.revision === kept) return 'still';
    if (kept === null || newest.revision < kept) {
      // Numbers that went back are those of another history: it begins anew.
      await memory.write({ revision: newest.revision });
      return 'still';
    }
    for (const [index, change] of [...changes.entries()].toReversed()) {
      if (change.revision <= kept) continue;
      await tell(changes[index + 1] ?? null, change);
      await memory.write({ revision: change.revision });
    }
    return 'moving';
  };

  /** By revision, descending, down to one that was seen, or to the end; at first sight one page is enough. */
  async function changesSince(kept: number | null): Promise<readonly ControlChange[]> {
    const found = new Map<number, ControlChange>();
    for await (const { items } of pages()) {
      // A page that grew at the top while it was walked repeats its end on the next one.
      for (const change of items) found.set(change.revision, change);
      const isEnough = kept === null || items.some(({ revision }) => revision <= kept);
      if (isEnough && found.size > 0) break;
    }
    return [...found.values()].toSorted((one, other) => other.revision - one.revision);
  }

  async function tell(before: ControlChange | null, change: ControlChange): Promise<void> {
    const compared = compareControls(before, change, redactor);
    const { by } = compared.after;
    const loosens = compared.changes.some((one) => one.loosens !== null);
    await raise({
      id: `controls ${change.revision} ${change.updatedAt ?? ''}`,
      kind: 'notice',
      event: loosens ? 'controls.loosened' : 'controls.changed',
      // Each change is a matter of its own: none takes the place of another.
      about: `controls/${change.revision}`,
      failed: loosens,
      ...controlTexts(compared),
      payload: { ...compared, concerns: { id: by.id, email: by.email } },
    });
  }
}
