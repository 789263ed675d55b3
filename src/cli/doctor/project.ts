import { settingsOf } from '../../config/project-settings.ts';
import type { Check } from './check.ts';
import { ok, warning } from './check.ts';
import type { DoctorPorts } from './ports.ts';

/** What the file of the project we are in has a say in; a repository's wishes must not hold unseen. */
export async function checkProject({ project }: Pick<DoctorPorts, 'project'>): Promise<Check> {
  const { file, trusted } = await project();
  if (file === null) return ok('project', 'no file of a project is in force here');
  const { note, mute, label } = await settingsOf(file, trusted);
  if (note !== null) {
    return warning(
      'project',
      `${file.path} ${note}`,
      'Run "hookbell project show" to see what it asks for',
    );
  }
  const wishes = [
    ...(label === null ? [] : [`is called "${label}"`]),
    ...(mute.length === 0 ? [] : [`mutes ${mute.join(', ')}`]),
  ];
  return ok('project', `${file.path} ${wishes.join(' and ') || 'asks for nothing'}`);
}
