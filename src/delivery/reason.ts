import { redactText } from '../core/redact.ts';
import { cutText, displayLine } from '../core/sanitize.ts';

const MAX_LENGTH = 300;

/** A reason fit to be stored, logged and shown: one line, without what looks like a secret, at most 300 long. */
export function tidyReason(text: string): string {
  return cutText(redactText(displayLine(text)), MAX_LENGTH);
}
