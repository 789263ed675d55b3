import type { Loaded } from '../../config/load.ts';
import type { ProjectFile } from '../../config/project-file.ts';
import type { Clock } from '../../platform/time.ts';
import type { OwnedKind } from '../../platform/ownership.ts';
import type { Paths } from '../../core/paths.ts';
import type { RegistrableAgent } from '../../setup/hook-places.ts';
import type { HookInspection } from '../../setup/inspect-hooks.ts';
import type { LaunchState } from '../../setup/launch-script.ts';
import type { RunStep } from '../../setup/run-steps.ts';
import type { ServiceManager } from '../../setup/services/service-manager.ts';
import type { CommandContext } from '../context.ts';

/** What lies at a path, symbolic links not followed. */
export interface FileFacts {
  readonly type: 'file' | 'directory' | 'link' | 'other';
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
}

/** Finds out why another user could change a path; null where none can. */
export type WhyForeign = (path: string, kind: OwnedKind) => Promise<string | null>;

/** Everything the checks of `doctor` look at. */
export interface DoctorPorts {
  readonly now: Clock;
  readonly wait: (ms: number) => Promise<void>;
  /** Of the Node that runs this, such as "20.19.0". */
  readonly nodeVersion: string;
  /** Of this program. */
  readonly version: string;
  readonly paths: Paths;
  /** Who we are; null where there are no such ids (Windows), and no rights to check either. */
  readonly uid: number | null;
  /** Variables of the environment that hookbell does not obey. */
  readonly ignoredVariables: readonly string[];
  /** What the content of a launch script is like. */
  readonly launchState: (path: string) => LaunchState;
  /** Directories in which commands are looked for. */
  readonly searchPath: readonly string[];
  readonly ask: CommandContext['ask'];
  /** Null when nothing is there. */
  readonly lookAt: (path: string) => Promise<FileFacts | null>;
  /** Why another user could change or replace what is there; null where none can, or where there is nothing. */
  readonly whyForeign: WhyForeign;
  /** Empty when there is no such directory. */
  readonly namesIn: (directory: string) => Promise<readonly string[]>;
  /** Why a directory takes no file, a clause about its disk; null where it does, or is not there. */
  readonly writeTrouble: (directory: string) => Promise<string | null>;
  /** True for a file (or a link to one) that we may execute. */
  readonly isExecutable: (path: string) => Promise<boolean>;
  readonly loadConfig: () => Promise<Loaded>;
  /** Reads a secret as the daemon does; throws ConfigError where the daemon would refuse the file. */
  readonly readSecretFile: (path: string) => Promise<unknown>;
  /** The project file in force where we are, and what a person has trusted. */
  readonly project: () => Promise<{
    readonly file: ProjectFile | null;
    readonly trusted: ReadonlyMap<string, string>;
  }>;
  readonly agents: readonly RegistrableAgent[];
  readonly inspectHooks: (agent: RegistrableAgent) => Promise<HookInspection>;
  /** The service that would start the daemon at log-in; null where hookbell knows none. */
  readonly service: Pick<ServiceManager, 'name' | 'files' | 'status' | 'hint'> | null;
  /** Runs a program of the system. */
  readonly run: RunStep;
}
