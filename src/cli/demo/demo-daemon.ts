import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';

import { processExists } from '../../platform/process-table.ts';
import { pollUntil } from '../../platform/time.ts';
import { FailedError } from '../../platform/errors.ts';
import type { Paths } from '../../core/paths.ts';
import { callDaemon } from '../../control/control-client.ts';
import type { CommandContext } from '../context.ts';
import { findDaemon, stopDaemon } from '../daemon-process.ts';
import { programFile } from '../../core/program-files.ts';
import { writeLaunchScript } from '../../setup/launch-script.ts';

/** The daemon of the demo, found by the socket in the demo's home, however it was started. */
export interface DemoDaemon {
  readonly ask: CommandContext['ask'];
  /** @returns its process id */
  readonly startDaemon: () => Promise<number>;
  /** Waits for a daemon that a hook has started. */
  readonly awaitDaemon: () => Promise<number>;
  /** Kills it as a crash would, with no time to save anything. */
  readonly killDaemon: () => Promise<number>;
  /** Reports that a hook runs, which starts a daemon if none is running. */
  readonly expectStart: () => void;
  /** Ends it. Never rejects. */
  readonly end: () => Promise<void>;
}

const READY_MS = 15_000;

export function handleDaemon(paths: Paths, env: Readonly<Record<string, string>>): DemoDaemon {
  const ask: DemoDaemon['ask'] = (name, call) => callDaemon(paths, name, call);
  // Whether a daemon runs, or may start soon.
  let isExpected = false;

  async function awaitDaemon(): Promise<number> {
    const daemon = await pollUntil(() => findDaemon({ ask }), READY_MS);
    if (daemon !== null) return daemon.pid;
    throw new FailedError(`The daemon did not answer within ${READY_MS / 1_000} s`, {
      hint: `Run the demo with --keep and see its log: ${paths.log}`,
    });
  }

  return {
    ask,
    awaitDaemon,
    startDaemon() {
      isExpected = true;
      // As "hookbell start" does, but with the whole environment: a daemon started later by a hook must find the
      // demo's stand-ins, too.
      mkdirSync(paths.state, { recursive: true, mode: 0o700 });
      writeLaunchScript({
        node: process.execPath,
        main: programFile('daemon'),
        stateDirectory: paths.state,
        home: env['HOME'] ?? '',
        environment: { ...env },
      });
      const child = spawn(process.execPath, [programFile('daemon')], {
        env,
        cwd: '/',
        detached: true,
        stdio: 'ignore',
      });
      child.unref();
      return awaitDaemon();
    },
    async killDaemon() {
      const pid = await awaitDaemon();
      process.kill(pid, 'SIGKILL');
      // Its socket closes shortly before it is gone, and until then a hook sees a live daemon.
      const gone = await pollUntil(() => Promise.resolve(!processExists(pid) || null), READY_MS);
      if (gone === null) throw new FailedError(`The daemon (pid ${pid}) survived SIGKILL`);
      isExpected = false;
      return pid;
    },
    expectStart() {
      isExpected = true;
    },
    async end() {
      if (!isExpected) return;
      // Wait until it runs, because it could not be found afterwards: without its home it would create a new one.
      const daemon = await pollUntil(() => findDaemon({ ask }), READY_MS);
      if (daemon === null) return;
      await stopDaemon({ ask, paths }).catch(() => kill(daemon.pid));
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}
