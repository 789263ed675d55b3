import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Paths } from '../../src/core/paths.ts';
import { envelopeBytes } from '../../test/support/envelopes.ts';
import { workday } from './workday.ts';

/**
 * Leaves envelopes as hooks do while no daemon runs.
 *
 * @returns the paths of the one made first, which a daemon takes first, and of the one made last
 */
export function fillSpool(
  { spool }: Pick<Paths, 'spool'>,
  envelopes: number,
): { readonly first: string; readonly last: string } {
  mkdirSync(spool, { recursive: true, mode: 0o700 });
  let first = '';
  let last = '';
  for (const payload of workday(envelopes)) {
    const name = randomUUID();
    last = join(spool, name);
    first ||= last;
    const bytes = envelopeBytes(name, JSON.stringify(payload), { agent: 'claude' });
    writeFileSync(last, bytes, { mode: 0o600 });
  }
  return { first, last };
}
