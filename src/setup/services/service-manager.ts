export interface ServiceFile {
  readonly path: string;
  readonly content: string;
}

/** A way to have the operating system start the daemon at log-in and keep it running. */
export interface ServiceManager {
  readonly name: 'systemd' | 'launchd' | 'task scheduler';
  /** What describes the service; the first of them stands for it. */
  readonly files: readonly [ServiceFile, ...ServiceFile[]];
  /** Commands (argv) that put it into force after the files were written, and that take it down before they are removed. */
  readonly enable: readonly (readonly string[])[];
  readonly disable: readonly (readonly string[])[];
  readonly restart: readonly (readonly string[])[];
  /** Succeeds where the manager is there and serves this user. */
  readonly probe: readonly string[];
  /** Succeeds where the service is in force. */
  readonly status: readonly string[];
  /** What people should know of it, unless this file is there. */
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
