import { existsSync } from 'node:fs';
import { homedir } from 'node:os';

import { HookbellError } from '../platform/errors.ts';
import { removeUnsafeVariables, withSession } from '../core/launch-environment.ts';
import { resolvePaths } from '../core/paths.ts';
import { StoreError } from '../core/store-aging.ts';
import { ownVersion } from '../platform/program-files.ts';
import { environmentFacts } from '../setup/install-recorder.ts';
import { readLaunchRecord } from '../setup/launch-script.ts';
import { isAlive, readPidFile } from '../../hooks/pid-file.ts';

void main();

async function main(): Promise<void> {
  removeUnsafeVariables(process.env);
  const isReset = process.argv.includes('--reset-secret');
  const foreground = isReset || process.argv.includes('--foreground');
  const revived = process.argv.includes('--revived');
  const given = resolvePaths(process.env, process.platform, homedir());
  const recorded = readLaunchRecord(given.launch)?.environment ?? null;
  // The daemon is the same whether a hook, a service or a person starts it. In the foreground a person sees what it does,
  // and may want to try another environment.
  if (recorded !== null && !foreground) {
    replaceEnvironment(withSession(recorded, process.env, environmentFacts));
  }
  const paths = resolvePaths(process.env, process.platform, homedir());

  // Hooks that find no daemon start one each; all but the first must exit before they load anything.
  const running = readPidFile(paths.pidFile);
  if (running !== null && isAlive(running)) {
    if (foreground) process.stderr.write('hookbell: a daemon is already running\n');
    process.exitCode = foreground ? 1 : 0;
  } else if (paths.state.startsWith(homedir()) && !existsSync(homedir())) {
    // Root would create it, for a service user that is not meant to have one.
    process.stderr.write(
      `hookbell: Cannot start: the home directory "${homedir()}" does not exist. Set HOOKBELL_STATE_DIR to a directory that does\n`,
    );
    process.exitCode = 1;
  } else {
    try {
      if (isReset) {
        const { resetSecret } = await import('./hub/reset-secret.ts');
        process.stdout.write(`${await resetSecret(paths, process.env)}\n`);
        return;
      }
      const { runDaemon } = await import('./run-daemon.ts');
      const options = { foreground, recorded, revived, version: ownVersion() };
      process.exitCode = await runDaemon(paths, options);
    } catch (error) {
      const isExpected = error instanceof HookbellError || error instanceof StoreError;
      const hint = error instanceof HookbellError && error.hint !== null ? `\n  ${error.hint}` : '';
      process.stderr.write(`hookbell: ${isExpected ? error.message : String(error)}${hint}\n`);
      process.exitCode = 1;
    }
  }
}

function replaceEnvironment(next: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (!(name in next)) delete process.env[name];
  Object.assign(process.env, next);
}
