import { z } from 'zod';

/** The path under which a machine reports to a hub what its person has seen there. */
export const SEEN = '/v1/hub/seen';

/** Keys of sessions of the machine that reports, as it knows them; null: all of its sessions. */
export const SeenRequest = z.strictObject({
  sessions: z.array(z.string().min(1).max(8_192)).max(64).nullable(),
});

/** How many alerts the hub acknowledged. */
export const SeenAnswer = z.object({ count: z.int().min(0) });
