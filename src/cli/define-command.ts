import type { Command } from 'commander';

import type { CommandAction } from './context.ts';

/** Adds a command to the program; `run` carries out its action. */
export type DefineCommand = (
  program: Command,
  run: (action: CommandAction) => Promise<void>,
) => void;
