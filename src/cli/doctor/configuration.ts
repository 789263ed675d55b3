import { dirname, join } from 'node:path';

import type { Config } from '../../config/config.ts';
import type { Loaded } from '../../config/load.ts';
import { formatProblem } from '../../config/problem.ts';
import { settingsOf } from '../../config/project-file.ts';
import { secretWarnings } from '../../config/secret-places.ts';
import { ConfigError } from '../../platform/errors.ts';
import { isJsonObject } from '../../platform/json.ts';
import { type Check, defineGuide } from './check.ts';
import type { DaemonSight } from './daemon.ts';
import type { DoctorPorts } from './ports.ts';

export const projectGuide = defineGuide('project', {
  unheeded: { state: 'warning', remedy: 'Run "hookbell project show" to see its settings' },
});

/** Reports the settings of the current project file; a repository must not change settings unnoticed. */
export async function checkProject({ project }: DoctorPorts): Promise<Check> {
  const { file, trusted } = await project();
  if (file === null) return projectGuide.ok('no project file is in effect here');
  const { note, mute, label } = await settingsOf(file, trusted);
  if (note !== null) return projectGuide.found('unheeded', `${file.path} ${note}`);
  const wishes = [
    ...(label === null ? [] : [`names the project "${label}"`]),
    ...(mute.length === 0 ? [] : [`mutes ${mute.join(', ')}`]),
  ];
  return projectGuide.ok(`${file.path} ${wishes.join(' and ') || 'sets nothing'}`);
}

export const secretsGuide = defineGuide('secrets', {
  refused: { state: 'problem', remedy: null },
  open: { state: 'problem', remedy: 'Run: chmod 600 "{path}"' },
  plain: { state: 'warning', remedy: 'Edit {path}' },
});

/** Checks that only the user can read the secrets. */
export async function checkSecrets(config: Config, ports: DoctorPorts): Promise<Check> {
  const plain = secretWarnings(config);
  const files = secretFilesIn(config.raw);
  const refused = await refusalOf(files, ports);
  if (refused !== null) return secretsGuide.found('refused', refused.message, {}, refused.hint);
  if (plain.length === 0) return secretsGuide.ok(files.length === 0 ? 'none in files' : 'private');

  if (await isOpen(config.path, ports)) {
    const summary = `${plain.join('; ')}; and others may read ${config.path}`;
    return secretsGuide.found('open', summary, { path: config.path });
  }
  const tree = await workTreeOf(config.path, ports);
  const shared = tree === null ? '' : `; and ${tree} is a git work tree, so they may be published`;
  return secretsGuide.found('plain', `${plain.join('; ')}${shared}`, { path: config.path });
}

/** Returns the error of the first unusable secret file. */
async function refusalOf(
  files: readonly string[],
  { readSecretFile }: DoctorPorts,
): Promise<ConfigError | null> {
  for (const file of files) {
    try {
      await readSecretFile(file);
    } catch (error) {
      if (error instanceof ConfigError) return error;
      throw error;
    }
  }
  return null;
}

/** Returns every `{ file: PATH }` in a document: only secrets have this form. */
function secretFilesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(secretFilesIn);
  if (!isJsonObject(value)) return [];
  const { file, ...others } = value;
  if (typeof file === 'string' && Object.keys(others).length === 0) return [file];
  return Object.values(value).flatMap(secretFilesIn);
}

async function isOpen(path: string, { lookAt, uid }: DoctorPorts): Promise<boolean> {
  const file = uid === null ? null : await lookAt(path);
  return file !== null && (file.mode & 0o077) !== 0;
}

async function workTreeOf(path: string, { lookAt }: DoctorPorts): Promise<string | null> {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    if ((await lookAt(join(at, '.git'))) !== null) return at;
  }
  return null;
}

const repair =
  'Run "hookbell config check" and repair the file; the daemon reloads it automatically';

export const configurationGuide = defineGuide('configuration', {
  invalid: { state: 'problem', remedy: repair },
  other: {
    state: 'warning',
    remedy: 'Run "hookbell restart" with HOOKBELL_CONFIG and XDG_CONFIG_HOME set as you want them',
  },
  untaken: { state: 'problem', remedy: repair },
  doubtful: { state: 'warning', remedy: 'Edit the file' },
});

/** Checks that the configuration is valid and in effect. */
export function checkConfiguration(
  loaded: Loaded,
  { status }: DaemonSight,
  { paths }: DoctorPorts,
): Check {
  if (!loaded.ok) {
    return configurationGuide.found('invalid', loaded.problems.map(formatProblem).join('; '));
  }
  if (status !== null && status.config.path !== paths.config) {
    const summary = `the daemon reads ${status.config.path}, this command ${paths.config}`;
    return configurationGuide.found('other', summary);
  }
  if (status !== null && !status.config.ok) {
    const why = status.config.problems.join('; ');
    return configurationGuide.found('untaken', `the daemon rejected it: ${why}`);
  }
  if (loaded.warnings.length > 0) {
    return configurationGuide.found('doubtful', loaded.warnings.map(formatProblem).join('; '));
  }
  const { path, exists } = loaded.config;
  return configurationGuide.ok(exists ? path : `no ${path}: the built-in one is in effect`);
}
