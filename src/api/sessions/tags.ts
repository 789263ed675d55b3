import type { WritableSettings } from './parameters.ts';
import type { SessionTag } from './session.ts';

/** Tags as they came, in the form in which they go back: name and metadata, which is empty where there is none. */
export function writableTags(tags: readonly SessionTag[]): NonNullable<WritableSettings['tags']> {
  return tags.map(({ name, metadata }) => ({
    name: name ?? '',
    metadata: metadata ?? {},
  }));
}
