import { settingsOf } from '../../config/project-file.ts';
import { type Check, type CheckGuide, found, ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const projectGuide = {
  name: 'project',
  about:
    'What the ".hookbell.yaml" of the current project mutes, and which name it gives the project',
  troubles: {
    unheeded: {
      state: 'warning',
      meaning:
        'The file is not trusted yet, was changed since it was trusted, or has an error: it has no effect',
      remedy: 'Run "hookbell project show" to see its settings',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = projectGuide;

/** Reports the settings of the current project file; a repository must not change settings unnoticed. */
export async function checkProject({ project }: Pick<DoctorPorts, 'project'>): Promise<Check> {
  const { file, trusted } = await project();
  if (file === null) return ok(name, 'no project file is in effect here');
  const { note, mute, label } = await settingsOf(file, trusted);
  if (note !== null) {
    return found(name, troubles.unheeded, `${file.path} ${note}`);
  }
  const wishes = [
    ...(label === null ? [] : [`names the project "${label}"`]),
    ...(mute.length === 0 ? [] : [`mutes ${mute.join(', ')}`]),
  ];
  return ok(name, `${file.path} ${wishes.join(' and ') || 'sets nothing'}`);
}
