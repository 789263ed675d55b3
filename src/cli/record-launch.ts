import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';

import { secretVariables } from '../config/secrets.ts';
import { launchEnvironment } from '../core/launch-environment.ts';
import { programFile } from '../core/program-files.ts';
import { environmentFacts } from '../setup/environment-facts.ts';
import type { LaunchOptions } from '../setup/launch-script.ts';
import { launchState, readLaunchRecord, writeLaunchScript } from '../setup/launch-script.ts';
import type { CommandContext } from './context.ts';
import { loadFullConfig } from './read-config.ts';

type Context = Pick<CommandContext, 'paths' | 'env'>;

export interface WantedLaunch {
  readonly options: LaunchOptions;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether a daemon that a hook starts would get something else now. */
  readonly isNew: boolean;
}

/**
 * What `install`, `start` and `restart` record: the program and the environment of every daemon of this state directory,
 * whoever starts it. No other command changes it, and no daemon.
 *
 * @param program folder of the program whose daemon is started
 */
export async function wantedLaunch(
  { paths, env }: Context,
  program: string,
): Promise<WantedLaunch> {
  const earlier = readLaunchRecord(paths.launch);
  const previous = earlier?.environment ?? null;
  const loaded = await loadFullConfig(paths.config);
  const environment = launchEnvironment({
    env,
    paths,
    home: homedir(),
    platform: process.platform,
    // With a configuration that cannot be read, what was recorded for it is kept.
    secretNames: loaded.ok ? secretVariables(loaded.config.raw) : Object.keys(previous ?? {}),
    previous,
    facts: environmentFacts,
  });
  const node = process.execPath;
  const main = programFile('daemon', program);
  const isSame =
    launchState(paths.launch) === 'ok' &&
    earlier?.command === node &&
    isDeepStrictEqual(earlier.args, [main]) &&
    isDeepStrictEqual(previous, environment);
  return {
    options: { node, main, stateDirectory: paths.state, home: homedir(), environment },
    environment,
    isNew: !isSame,
  };
}

/**
 * Records it. Only while no daemon runs: a running one takes it for damage when its `launch` is replaced, and starts anew.
 */
export function recordLaunch({ options }: WantedLaunch): void {
  mkdirSync(options.stateDirectory, { recursive: true, mode: 0o700 });
  writeLaunchScript(options);
}
