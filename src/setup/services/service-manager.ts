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
  readonly restart: readonly (readonly string[])[];
  /** Succeeds if the manager is available to this user. */
  readonly probe: readonly string[];
  /** Succeeds if the service is enabled. */
  readonly status: readonly string[];
  /** A note for the user, unless this file exists. */
  readonly hint: { readonly unless: string; readonly text: string } | null;
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
  /** The state directory and the configuration file of the daemon. */
  readonly state: string;
  readonly config: string;
  /** Also start the daemon when an event waits in the spool, for hooks that may start no process. */
  readonly wake: boolean;
}

/** A text between two tags. */
export function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
