import type { HubStore } from '../core/hub/hub-store.ts';
import type { Warnings } from '../delivery/warnings.ts';
import type { Log } from '../platform/log.ts';
import { createSteadyRounds } from '../platform/rounds.ts';
import { documentationPage } from '../text/documentation.ts';

/** How often a process tries to seal the keys of machines with a new secret, ms. */
const EVERY_MS = 5_000;
/** Restarting one process after the other may take this long before anyone is warned, ms. */
const ROLL_MS = 600_000;
const KEY = 'hub secret';
const PAGE = documentationPage('docs/hub.md');

const PLAIN = `The keys of machines are not sealed in the database, so a copy of it is enough to act as any machine: set "hub.secret", see ${PAGE}`;
const FOREIGN =
  'The keys of machines are sealed with a secret that this process does not have: restart it with the "hub.secret" of the other processes';
const DONE =
  'The keys of machines are sealed with the new "hub.secret": remove "hub.previous_secret" from the configuration of each process';

interface KeySealingOptions {
  readonly store: Pick<HubStore, 'sealKeys'>;
  /** Whether the configuration has a previous secret. */
  readonly hasPrevious: () => boolean;
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Seals the keys of machines with the secret of the configuration as soon as all processes have it, and reports the progress to
 * the administrators.
 */
export function createKeySealing(options: KeySealingOptions) {
  const { store, hasPrevious, warnings, now, log } = options;
  /** What an administrator should know and is not warned of otherwise, as sentences. */
  let notes: readonly string[] = [];
  let waitsSince: number | null = null;

  /** Never rejects. */
  async function look(): Promise<void> {
    try {
      const state = await store.sealKeys();
      if (state.type !== 'waiting') waitsSince = null;
      switch (state.type) {
        case 'plain':
          return tell([PLAIN], null);
        case 'sealed':
          return tell(hasPrevious() ? [DONE] : [], null);
        case 'foreign':
          return tell([], FOREIGN);
        case 'waiting': {
          waitsSince ??= now();
          const text = waitingText(state.hosts);
          return now() - waitsSince < ROLL_MS ? tell([text], null) : tell([], text);
        }
      }
    } catch (error) {
      log.debug({ err: error }, 'Cannot seal the keys of machines yet');
    }
  }

  function tell(next: readonly string[], warning: string | null): void {
    for (const note of next) if (!notes.includes(note)) log.warn({}, note);
    notes = next;
    if (warning === null) warnings.clear(KEY);
    else warnings.raise(KEY, warning);
  }

  return { notes: () => notes, look, ...createSteadyRounds(look, EVERY_MS) };
}

function waitingText(hosts: readonly string[]): string {
  const names = hosts.map((host) => `"${host}"`).join(', ');
  return `The keys of machines are not sealed with the new "hub.secret" yet, because a process on ${names} does not have it: restart it with the same configuration, see ${PAGE}`;
}
