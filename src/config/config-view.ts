export interface ConfigView {
  readonly path: string;
  /** False if the file was refused: `problems` has the reasons, and an earlier or the default configuration is in force. */
  readonly ok: boolean;
  readonly loadedAt: string;
  readonly problems: readonly string[];
}
