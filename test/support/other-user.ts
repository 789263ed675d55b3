import { runProcess } from './run-process.ts';
import type { Finished } from './run-process.ts';
import { needs } from './system-part.ts';

/** The unprivileged user of every Linux system. */
const OTHER = '65534';

/**
 * For tests that act as another user of the machine: the reason to skip where only root could, or false.
 * With HOOKBELL_REQUIRE_SYSTEM=1 (as in CI, which is root) not being root is an error instead.
 */
export function needsOtherUser(): string | false {
  if (process.geteuid?.() === 0) return needs('setpriv');
  const reason = 'needs root, to act as another user';
  if (process.env['HOOKBELL_REQUIRE_SYSTEM'] === '1') throw new Error(`This test ${reason}`);
  return reason;
}

/** Runs a program as another user, without groups and capabilities. */
export function runAsOther(program: string, ...words: readonly string[]): Promise<Finished> {
  const identity = ['--reuid', OTHER, '--regid', OTHER, '--clear-groups', '--no-new-privs'];
  return runProcess('setpriv', [...identity, '--inh-caps=-all', program, ...words], {
    env: { PATH: process.env['PATH'] ?? '' },
  });
}
