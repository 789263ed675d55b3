import { parseOptions } from '../../config/parse-options.ts';
import { quietHoursSchema } from '../../config/quiet-schema.ts';

export interface QuietRange {
  readonly from: string;
  readonly to: string;
}

/** "22:00-07:30" apart, or what is wrong with it as the rest of a sentence. */
export function readQuietRange(text: string): QuietRange | { readonly fault: string } {
  const [from = '', to = '', ...more] = text.split('-').map((part) => part.trim());
  const range = { from, to };
  const parsed = quietHoursSchema.safeParse(range, parseOptions);
  if (parsed.success && more.length === 0) return range;
  return { fault: 'is no range of hours, expected one such as "22:00-07:30"' };
}
