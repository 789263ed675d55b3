import type { WritableSettings } from './parameters.ts';
import type { SessionTag } from './session.ts';

/** Tags as they came, in the form in which they go back. */
export function writableTags(tags: readonly SessionTag[]): NonNullable<WritableSettings['tags']> {
  return tags.map(({ name, metadata }) => ({
    name: name ?? '',
    ...(metadata !== null && metadata !== undefined && { metadata }),
  }));
}
