import type { Command } from 'commander';

import type { ControlAnswers } from '../control/contract.ts';
import type { Paths } from '../core/paths.ts';
import type { ControlCall } from '../control/client.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Output } from './output.ts';

/** What every command works with; made once by the program, replaced in tests. */
export interface CommandContext {
  readonly output: Output;
  readonly paths: Paths;
  readonly env: NodeJS.ProcessEnv;
  /** Names that were removed from `env` at the start because no environment may decide them. */
  readonly ignoredVariables?: readonly string[];
  readonly version: string;
  /** True when the answer is to be one JSON document. */
  readonly json: boolean;
  /** True when data is wanted that is too long for every day. */
  readonly verbose: boolean;
  /** Asks the daemon; throws DaemonUnreachableError when there is none. */
  readonly ask: <Name extends keyof ControlAnswers>(
    name: Name,
    call?: ControlCall,
  ) => Promise<ControlAnswers[Name]>;
}

/** What a command's action does; the exit code is 0 unless it answers another one or throws. */
export type CommandAction = (context: CommandContext) => Promise<ExitCode | void>;

/** Adds a command to the program; `run` carries out its action. */
export type DefineCommand = (
  program: Command,
  run: (action: CommandAction) => Promise<void>,
) => void;
