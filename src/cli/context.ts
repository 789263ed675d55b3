import type { Command } from 'commander';

import type { ControlAnswers } from '../control/contract.ts';
import type { Paths } from '../core/paths.ts';
import type { ControlCall } from '../control/client.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Output } from './output.ts';

/** Dependencies of every command; created once by the program, replaced in tests. */
export interface CommandContext {
  readonly output: Output;
  readonly paths: Paths;
  readonly env: NodeJS.ProcessEnv;
  /** Names that were removed from `env` at the start because the environment may not set them. */
  readonly ignoredVariables?: readonly string[];
  readonly version: string;
  /** True if the output must be one JSON document. */
  readonly json: boolean;
  /** True to print additional details. */
  readonly verbose: boolean;
  /** Calls the daemon; throws DaemonUnreachableError if it is not running. */
  readonly ask: <Name extends keyof ControlAnswers>(
    name: Name,
    call?: ControlCall,
  ) => Promise<ControlAnswers[Name]>;
}

/** The action of a command; the exit code is 0 unless it returns another one or throws. */
export type CommandAction = (context: CommandContext) => Promise<ExitCode | void>;

/** Adds a command to the program; `run` carries out its action. */
export type DefineCommand = (
  program: Command,
  run: (action: CommandAction) => Promise<void>,
) => void;
