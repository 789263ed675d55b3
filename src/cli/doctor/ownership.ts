import type { Paths } from '../../core/paths.ts';
import { programFile } from '../../core/program-files.ts';
import type { OwnedKind } from '../../platform/ownership.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok, skipped } from './check.ts';
import type { DoctorPorts, WhyForeign } from './ports.ts';

export const ownershipGuide = {
  name: 'ownership',
  about:
    'Whether only you (or root) can write to the program, the hook, the launch script, the configuration, and every directory above them',
  troubles: {
    foreign: {
      state: 'problem',
      meaning: 'Another user could run programs as you by changing or replacing it',
      remedy: 'Remove write permission with "chmod go-w", or take ownership: {path}',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = ownershipGuide;

/** Files that run as the user at every event, or decide what runs. */
function sensitiveFiles(paths: Paths): readonly (readonly [string, OwnedKind])[] {
  return [
    [paths.program, 'directory'],
    [programFile('shellHook', paths.program), 'file'],
    [programFile('daemon', paths.program), 'file'],
    [programFile('commandLine', paths.program), 'file'],
    [programFile('command', paths.program), 'file'],
    [paths.command, 'file'],
    [paths.launch, 'file'],
    [paths.config, 'file'],
  ];
}

/** Returns each of them that another user could change, with the reason. Missing files are not reported. */
export async function foreignFiles(
  paths: Paths,
  whyForeign: WhyForeign,
): Promise<readonly { readonly path: string; readonly reason: string }[]> {
  const reasons = await Promise.all(
    sensitiveFiles(paths).map(async ([path, kind]) => ({
      path,
      reason: await whyForeign(path, kind),
    })),
  );
  return reasons.flatMap(({ path, reason }) => (reason === null ? [] : [{ path, reason }]));
}

export async function checkOwnership({
  paths,
  uid,
  whyForeign,
}: Pick<DoctorPorts, 'paths' | 'uid' | 'whyForeign'>): Promise<Check> {
  if (uid === null) return skipped(name, 'this system has no file permissions to check');
  const [first, ...others] = await foreignFiles(paths, whyForeign);
  if (first === undefined) return ok(name, 'program, hook and configuration are yours alone');
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const summary = `${first.path} is not yours alone: ${first.reason}${more}`;
  return found(name, troubles.foreign, summary, { path: first.path });
}
