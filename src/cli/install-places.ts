import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { dialects } from '../agents/registry.ts';
import type { RegistrableAgent } from '../setup/hooks.ts';
import type { InstallPlaces } from '../setup/install.ts';
import type { ServiceManager } from '../setup/service.ts';
import { serviceManager } from '../setup/service.ts';
import type { CommandContext } from './context.ts';

/** The folder of the program this command line belongs to: a checkout, or the installed copy. */
export const ownProgram = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, '');

export function daemonMain(program: string): string {
  return join(program, 'dist', 'src', 'daemon', 'main.js');
}

export function installPlaces({ paths, env }: CommandContext): InstallPlaces {
  return {
    paths,
    home: homedir(),
    searchPath: env['PATH'] ?? '',
    env,
    checkout: ownProgram,
    manifest: join(paths.state, 'install.json'),
    hook: join(paths.program, 'hooks', 'hookbell-hook'),
  };
}

/** Editors check the configuration against the schema of the installed program. */
export function configSchemaFile({ program }: CommandContext['paths']): string {
  return join(program, 'config', 'hookbell.schema.json');
}

/** The service manager of this machine with the installed program as its service. */
export function installedService({ paths, env }: CommandContext): ServiceManager | null {
  return serviceManager({
    platform: process.platform,
    home: homedir(),
    uid: process.getuid?.() ?? 0,
    configHome: paths.configHome,
    node: process.execPath,
    main: daemonMain(paths.program),
    env,
  });
}

/** Every agent whose hooks hookbell can register by itself, once for each way in which it tells of events. */
export function registrableAgents(): readonly RegistrableAgent[] {
  return Object.values(dialects).flatMap(({ agent, registrations }) =>
    registrations.map((registration) => ({ agent, registration })),
  );
}

/** True when people can type the command as it is. */
export function isOnSearchPath({ paths, env }: CommandContext): boolean {
  return (env['PATH'] ?? '').split(':').includes(dirname(paths.command));
}
