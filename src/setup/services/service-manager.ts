export interface ServiceFile {
  readonly path: string;
  readonly content: string;
}

/** A system service that starts the daemon at log-in and keeps it running. */
export interface ServiceManager {
  readonly name: 'systemd' | 'launchd' | 'task scheduler';
  /** Files of the service, the main one first. */
  readonly files: readonly [ServiceFile, ...ServiceFile[]];
  /** Commands (argv) that enable it after its files are written, and disable it before they are removed. */
  readonly enable: readonly (readonly string[])[];
  readonly disable: readonly (readonly string[])[];
  /** How whatever starts a daemon asks the manager to do it. */
  readonly start: ManagerStart;
  /** Run before `start` at a person's command: forgives earlier failures. Each may fail. */
  readonly prepare: readonly (readonly string[])[];
  /** Run at a person's command after the daemon has ended, or does not end: the manager starts no other. Each may fail. */
  readonly stop: readonly (readonly string[])[];
  /** Succeeds if the manager is available to this user. */
  readonly probe: readonly string[];
  /** Succeeds if the service is enabled. */
  readonly status: readonly string[];
  /** A note for the user, unless this file exists. */
  readonly hint: { readonly unless: string; readonly text: string } | null;
}

/** Commands (argv) for one service of a manager. */
export interface ManagerStart {
  /** Succeeds if the manager is there for this session and may know the service: only then is it asked. */
  readonly known: readonly string[];
  /** The last one decides whether the start is accepted; it does not wait until the daemon is ready. */
  readonly start: readonly (readonly string[])[];
  /** Succeeds if the service failed so often that the manager refuses to start it for now; null: it never does. */
  readonly gaveUp: readonly string[] | null;
}

export interface ServiceFacts {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly user: string;
  readonly uid: number;
  readonly configHome: string;
  readonly spool: string;
  readonly node: string;
  readonly main: string;
  /** The state directory, a file in it for its standard error, and the configuration file of the daemon. */
  readonly state: string;
  readonly lastWords: string;
  readonly config: string;
  /** Also start the daemon when an event waits in the spool, for hooks that may start no process. */
  readonly wake: boolean;
}
