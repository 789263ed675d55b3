/** A program to run below Wine. */
export interface Run {
  readonly argv: readonly string[];
  /** Besides the variables of Wine. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  /** A file with its standard input. */
  readonly inputFile?: string;
  /** Its standard input never ends. */
  readonly staysOpen?: boolean;
  /** Its arguments are passed on as they are, as Node does for a shell. */
  readonly verbatim?: boolean;
  readonly patienceMs?: number;
}

/** Many hooks, and a daemon that is killed after some of them. */
export interface Storm {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly payloads: readonly string[];
  readonly pidFile: string;
  /** For a hook by its place: how long after its end the daemon is killed, ms. */
  readonly kills: readonly (readonly [after: number, ms: number])[];
  readonly atOnce: number;
}

export type Job = Run | { readonly storm: Storm };

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}
