import type { DefineCommand } from '../define-command.ts';
import { defineStatus } from './status.ts';

/** Every command, in the order in which `--help` lists them. */
export const commands: readonly DefineCommand[] = [defineStatus];
