import { resolve } from 'node:path';

import {
  findProjectFile,
  PROJECT_FILE,
  type ProjectFile,
  type ProjectWishes,
  readTrusted,
  readWishes,
  writeTrusted,
} from '../../config/project-file.ts';
import { FailedError, NotFoundError } from '../../platform/errors.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { CommandContext, DefineCommand } from '../context.ts';

/** `hookbell project show|trust|untrust [DIRECTORY]`: shows and trusts the settings file of a repository. */
export const defineProject: DefineCommand = (program, run) => {
  const project = program
    .command('project', { hidden: true })
    .description(`show or trust the ${PROJECT_FILE} of a repository`);
  const argument = [
    '[directory]',
    'directory in the repository (default: the current one)',
  ] as const;

  project
    .command('show')
    .argument(...argument)
    .description('show the settings in the file and whether it is trusted')
    .action((directory: string | undefined) => run((context) => show(context, directory)));
  project
    .command('trust')
    .argument(...argument)
    .description('trust the file as it is now; a changed file must be trusted again')
    .action((directory: string | undefined) => run((context) => trust(context, directory)));
  project
    .command('untrust')
    .argument(...argument)
    .description('stop trusting the file')
    .action((directory: string | undefined) => run((context) => untrust(context, directory)));
};

async function show({ output, json, paths }: CommandContext, directory?: string): Promise<void> {
  const { path, text, hash } = await readable(await fileFor(directory));
  const wishes = await readWishes(text);
  const trusted = (await readTrusted(paths.trustedProjects)).get(path) === hash;
  if (json) {
    output.json({ file: path, trusted, ...wishes });
    return;
  }
  output.line(displayLine(path));
  for (const line of linesOf(wishes)) output.line(`  ${line}`);
  output.line(trusted ? '  trusted: in effect' : '  not trusted: no effect');
  if (!trusted) output.say('Run "hookbell project trust" to apply it');
}

async function trust({ output, json, paths }: CommandContext, directory?: string): Promise<void> {
  const { path, text, hash } = await readable(await fileFor(directory));
  const wishes = await readWishes(text);
  const trusted = new Map(await readTrusted(paths.trustedProjects)).set(path, hash);
  await write(paths.trustedProjects, trusted);
  if (json) {
    output.json({ file: path, trusted: true, ...wishes });
    return;
  }
  output.say(`Trusted ${displayLine(path)}`);
  for (const line of linesOf(wishes)) output.say(`  ${line}`);
}

async function untrust({ output, json, paths }: CommandContext, directory?: string): Promise<void> {
  const { path } = await fileFor(directory);
  const trusted = new Map(await readTrusted(paths.trustedProjects));
  const wasTrusted = trusted.delete(path);
  if (wasTrusted) await write(paths.trustedProjects, trusted);
  if (json) output.json({ file: path, trusted: false });
  else
    output.say(`${wasTrusted ? 'No longer trusted' : 'It was not trusted'}: ${displayLine(path)}`);
}

function linesOf({ label, mute, ignored }: ProjectWishes): readonly string[] {
  return [
    ...(label === null ? [] : [`label: ${label}`]),
    ...(mute.length === 0 ? [] : [`mute: ${mute.join(', ')}`]),
    ...ignored,
  ];
}

/** @throws NotFoundError if no project file applies */
async function fileFor(directory = '.'): Promise<ProjectFile> {
  const place = resolve(directory);
  const found = await findProjectFile(place, process.geteuid?.() ?? null);
  if (found !== null) return found;
  throw new NotFoundError(`No ${PROJECT_FILE} applies to "${displayLine(place)}"`, {
    hint: 'It must be in this directory, or in a parent up to the top of the git work tree',
  });
}

/** @throws FailedError for a file that is never applied, such as a link */
async function readable({ path, content }: ProjectFile) {
  if (content.ok) return { path, text: content.text, hash: content.hash };
  throw new FailedError(`"${displayLine(path)}" is not applied: it ${content.reason}`);
}

async function write(path: string, trusted: ReadonlyMap<string, string>): Promise<void> {
  try {
    writeTrusted(path, trusted);
  } catch (error) {
    throw new FailedError(`Cannot write "${path}"`, {
      hint: 'Run "hookbell start" once: it creates the directory',
      cause: error,
    });
  }
}
