import type { LookedUp } from '../core/looked-up.ts';
import { lookedUpSchema } from '../core/looked-up.ts';
import type { Row } from './row.ts';
import { textOrNull } from './row.ts';

/** What was found out about a session. Null too where another version kept it in another shape: it can be asked again. */
export function readLookedUp(row: Row): LookedUp | null {
  const kept = textOrNull(row, 'looked_up');
  if (kept === null) return null;
  try {
    return lookedUpSchema.safeParse(JSON.parse(kept)).data ?? null;
  } catch {
    return null;
  }
}
