import type { Kind } from './hook-event.ts';

/** What the file `.hookbell.yaml` of a project asks for: to be told less of it, and how to call it. */
export interface ProjectSettings {
  /** Where the file is. */
  readonly file: string;
  /** What notifications call the project; null: as its directory is called. */
  readonly label: string | null;
  /** Kinds that people are not told of. */
  readonly mute: readonly Kind[];
  /** Why the file, or a part of it, has no effect; null where all of it has. */
  readonly note: string | null;
}
