import { createHash } from 'node:crypto';

/** Names a group of notifications in letters and digits only: nothing of an event goes into an option or a sequence. */
export function groupName(groupKey: string): string {
  return createHash('sha256').update(groupKey).digest('hex').slice(0, 16);
}
