import type { Check } from './check.ts';
import { ok, problem, skipped, warning } from './check.ts';
import type { DoctorPorts } from './ports.ts';

/** A directory that has to belong to us alone: other users could read events there, or plant them. */
export async function checkPrivateDirectory(
  name: string,
  path: string,
  { lookAt, uid }: Pick<DoctorPorts, 'lookAt' | 'uid'>,
): Promise<Check> {
  const found = await lookAt(path);
  if (found === null) {
    return warning(name, `${path} is not there yet`, 'Run "hookbell start" to make it');
  }
  if (found.type !== 'directory') {
    const what = found.type === 'link' ? 'a symbolic link' : 'no directory';
    return problem(
      name,
      `${path} is ${what}, which hookbell does not use`,
      `Move it away: ${path}`,
    );
  }
  if (uid === null) return skipped(name, `${path}: this system has no rights that can be checked`);
  if (found.uid !== uid) {
    return problem(
      name,
      `${path} belongs to user ${found.uid}, expected ${uid}`,
      'Move it away, or set HOOKBELL_STATE_DIR to a directory of your own',
    );
  }
  if ((found.mode & 0o077) !== 0) {
    const mode = found.mode.toString(8).padStart(4, '0');
    return problem(
      name,
      `${path} is open to others (mode ${mode}, expected 0700)`,
      `Run: chmod 700 "${path}"`,
    );
  }
  return ok(name, path);
}
