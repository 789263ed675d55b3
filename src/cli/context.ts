import type { Command } from 'commander';

import type { ControlCall } from '../control/control-client.ts';
import type { ControlAnswers } from '../control/contract.ts';
import type { Paths } from '../core/paths.ts';
import {
  ConfigError,
  DaemonUnreachableError,
  HookbellError,
  NotFoundError,
  UsageError,
} from '../platform/errors.ts';
import type { Output } from './output.ts';

/** Exit codes of commands. Only the hook always exits with 0. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  configInvalid: 3,
  daemonUnreachable: 4,
  auth: 5,
  notFound: 6,
  rateLimited: 7,
  partial: 8,
  overBudget: 9,
  /** As `timeout` of the coreutils. */
  timedOut: 124,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A failure that no other error class covers. */
export class ExitError extends HookbellError {
  override readonly name = 'ExitError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options: { hint?: string; cause?: unknown }) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof ExitError) return error.exitCode;
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof ConfigError) return exitCodes.configInvalid;
  if (error instanceof DaemonUnreachableError) return exitCodes.daemonUnreachable;
  if (error instanceof NotFoundError) return exitCodes.notFound;
  return exitCodes.failed;
}

export interface AsStarted {
  readonly umask: number;
  /** Variables that were removed. */
  readonly env: Readonly<Record<string, string>>;
}

/** Dependencies of every command; created once by the program, replaced in tests. */
export interface CommandContext {
  readonly output: Output;
  readonly paths: Paths;
  readonly env: NodeJS.ProcessEnv;
  /** Names that were removed from `env` at the start because the environment may not set them. */
  readonly ignoredVariables?: readonly string[];
  /** What this process was started with, and has changed for itself. */
  readonly asStarted?: AsStarted | undefined;
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

/** What a command does with its arguments and options; the exit code is 0 unless it returns another one or throws. */
type Action<Words extends unknown[]> = (
  context: CommandContext,
  ...words: Words
) => Promise<ExitCode | void>;

/** Makes an action of commander from that of a command. */
export type Run = <Words extends unknown[]>(
  action: Action<Words>,
) => (...words: Words) => Promise<void>;

/** Adds a command to the program. */
export type DefineCommand = (program: Command, run: Run) => void;
