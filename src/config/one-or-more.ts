import { z } from 'zod';

/** A value or a list of such values; always comes out as a list. */
export function oneOrMore<Item extends z.ZodType>(item: Item) {
  return z.union([item.transform((value) => [value]), z.array(item).min(1)]);
}
