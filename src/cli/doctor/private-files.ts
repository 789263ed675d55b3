import type { Check } from './check.ts';
import { ok, problem, skipped } from './check.ts';
import type { DoctorPorts } from './ports.ts';

/** The files that hold events or let somebody in: each has to be closed to others, should its directory ever be open. */
export async function checkPrivateFiles({
  lookAt,
  paths,
  uid,
}: Pick<DoctorPorts, 'lookAt' | 'paths' | 'uid'>): Promise<Check> {
  const name = 'private files';
  if (uid === null) return skipped(name, 'this system has no rights that can be checked');
  const files = [paths.database, paths.log, paths.token, paths.trustedProjects];
  for (const path of files) {
    const found = await lookAt(path);
    if (found === null) continue;
    if (found.type !== 'file') {
      return problem(name, `${path} is no regular file`, `Move it away: ${path}`);
    }
    if (found.uid !== uid) {
      return problem(
        name,
        `${path} belongs to user ${found.uid}, expected ${uid}`,
        `Move it away: ${path}`,
      );
    }
    if ((found.mode & 0o077) !== 0) {
      const mode = found.mode.toString(8).padStart(4, '0');
      return problem(
        name,
        `${path} is open to others (mode ${mode}, expected 0600)`,
        `Run: chmod 600 "${path}"`,
      );
    }
  }
  return ok(name, 'database, log and token are closed to others');
}
