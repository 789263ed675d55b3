export interface ConfigView {
  readonly path: string;
  /** False when the file was not taken: `problems` says why, and an earlier or the default configuration runs. */
  readonly ok: boolean;
  readonly loadedAt: string;
  readonly problems: readonly string[];
}
