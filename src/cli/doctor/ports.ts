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

/** What is at a path, without following symbolic links. */
export interface FileFacts {
  readonly type: 'file' | 'directory' | 'link' | 'other';
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
}

/** Returns why another user could change a path; null if none can. */
export type WhyForeign = (path: string, kind: OwnedKind) => Promise<string | null>;

/** Everything the checks of `doctor` depend on. */
export interface DoctorPorts {
  readonly now: Clock;
  readonly wait: (ms: number) => Promise<void>;
  /** Of the Node that runs this, such as "20.19.0". */
  readonly nodeVersion: string;
  /** Of this program. */
  readonly version: string;
  readonly paths: Paths;
  /** The effective user id; null on systems without user ids (Windows), where no permissions are checked. */
  readonly uid: number | null;
  /** Environment variables that hookbell ignores. */
  readonly ignoredVariables: readonly string[];
  /** State of the content of a launch script. */
  readonly launchState: (path: string) => LaunchState;
  /** Directories searched for commands. */
  readonly searchPath: readonly string[];
  readonly ask: CommandContext['ask'];
  /** Null if nothing exists there. */
  readonly lookAt: (path: string) => Promise<FileFacts | null>;
  /** Why another user could change or replace the file; null if none can, or if it does not exist. */
  readonly whyForeign: WhyForeign;
  /** Empty if the directory does not exist. */
  readonly namesIn: (directory: string) => Promise<readonly string[]>;
  /** Why a directory accepts no files, a clause about its disk; null if it accepts them, or does not exist. */
  readonly writeTrouble: (directory: string) => Promise<string | null>;
  /** True for a file (or a link to one) that we may execute. */
  readonly isExecutable: (path: string) => Promise<boolean>;
  readonly loadConfig: () => Promise<Loaded>;
  /** Reads a secret as the daemon does; throws ConfigError where the daemon would refuse the file. */
  readonly readSecretFile: (path: string) => Promise<unknown>;
  /** The project file of the current directory, and the trusted ones. */
  readonly project: () => Promise<{
    readonly file: ProjectFile | null;
    readonly trusted: ReadonlyMap<string, string>;
  }>;
  readonly agents: readonly RegistrableAgent[];
  readonly inspectHooks: (agent: RegistrableAgent) => Promise<HookInspection>;
  /** The service that starts the daemon at log-in; null if hookbell supports none here. */
  readonly service: Pick<ServiceManager, 'name' | 'files' | 'status' | 'hint'> | null;
  /** Runs a program of the system. */
  readonly run: RunStep;
}
