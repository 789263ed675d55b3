import type { DefineCommand } from '../define-command.ts';
import { defineDaemon } from './daemon.ts';
import { defineInstall } from './install.ts';
import { defineStatus } from './status.ts';
import { defineTrigger } from './trigger.ts';
import { defineUninstall } from './uninstall.ts';

/** Every command, in the order in which `--help` lists them. */
export const commands: readonly DefineCommand[] = [
  defineInstall,
  defineUninstall,
  defineDaemon,
  defineStatus,
  defineTrigger,
];
