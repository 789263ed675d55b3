import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

import { dialects } from '../agents/registry.ts';
import { ownProgram, programFile } from '../core/program-files.ts';
import type { RegistrableAgent } from '../setup/hook-places.ts';
import type { InstallPlaces } from '../setup/install.ts';
import { serviceManager } from '../setup/service.ts';
import type { ServiceManager } from '../setup/services/service-manager.ts';
import type { CommandContext } from './context.ts';

export function installPlaces({ paths, env }: CommandContext): InstallPlaces {
  return {
    paths,
    home: homedir(),
    searchPath: env['PATH'] ?? '',
    env,
    checkout: ownProgram,
    manifest: join(paths.state, 'install.json'),
    dataHome: process.platform === 'linux' ? dataHome(env) : null,
    hook: programFile('shellHook', paths.program),
  };
}

/** XDG Base Directory Specification: a relative path is invalid. */
function dataHome(env: CommandContext['env']): string {
  const named = env['XDG_DATA_HOME'] ?? '';
  return isAbsolute(named) ? named : join(homedir(), '.local', 'share');
}

/** Editors check the configuration against the schema of the installed program. */
export function configSchemaFile({ program }: CommandContext['paths']): string {
  return join(program, 'config', 'hookbell.schema.json');
}

/** The service manager of this machine with the installed program as its service. */
export function installedService(
  { paths }: CommandContext,
  { wake }: { readonly wake: boolean } = { wake: false },
): ServiceManager | null {
  return serviceManager({
    platform: process.platform,
    home: homedir(),
    user: userInfo().username,
    uid: process.getuid?.() ?? 0,
    configHome: paths.configHome,
    spool: paths.spool,
    node: process.execPath,
    main: programFile('daemon', paths.program),
    state: paths.state,
    config: paths.config,
    wake,
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
