import { z } from 'zod';

/** A person of the organization, as the vendor's service names people: by id, by address, or by both. */
export interface Person {
  readonly id: string | null;
  readonly email: string | null;
}

/** A person named by an address or an id, as in the lists of the analytics. */
export function personNamed(name: string): Person {
  return name.includes('@') ? { id: null, email: name } : { id: name, email: null };
}

/** In the payload of a source's event about one person: their credits, their change, their computer. */
export const concernsSchema = z.object({
  concerns: z.object({ id: z.string().nullable(), email: z.string().nullable() }),
});

/**
 * Address of the person whom a notification concerns.
 *
 * - `found`: this address, not verified yet; `isOutside`: no user of the organization has its domain
 * - `unknown`: no address, for a reason that completes "because …"
 */
export type Recipient =
  | { readonly type: 'found'; readonly address: string; readonly isOutside: boolean }
  | { readonly type: 'unknown'; readonly reason: string };
