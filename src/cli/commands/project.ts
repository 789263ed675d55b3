import { resolve } from 'node:path';

import type { Command } from 'commander';

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
  const command = (name: string, description: string): Command =>
    project
      .command(name)
      .argument('[directory]', 'directory in the repository (default: the current one)')
      .description(description);
  command('show', 'show the settings in the file and whether it is trusted').action(run(show));
  command('trust', 'trust the file as it is now; a changed file must be trusted again').action(
    run(trust),
  );
  command('untrust', 'stop trusting the file').action(run(untrust));
};

async function show({ output, json, paths }: CommandContext, directory?: string): Promise<void> {
  const { path, wishes, hash } = await readFileFor(directory);
  const trusted = (await readTrusted(paths.trustedProjects)).get(path) === hash;
  if (json) return output.json({ file: path, trusted, ...wishes });
  output.line(displayLine(path));
  for (const line of linesOf(wishes)) output.line(`  ${line}`);
  output.line(trusted ? '  trusted: in effect' : '  not trusted: no effect');
  if (!trusted) output.say('Run "hookbell project trust" to apply it');
}

async function trust({ output, json, paths }: CommandContext, directory?: string): Promise<void> {
  const { path, wishes, hash } = await readFileFor(directory);
  const trusted = new Map(await readTrusted(paths.trustedProjects)).set(path, hash);
  write(paths.trustedProjects, trusted);
  if (json) return output.json({ file: path, trusted: true, ...wishes });
  output.say(`Trusted ${displayLine(path)}`);
  for (const line of linesOf(wishes)) output.say(`  ${line}`);
}

async function untrust({ output, json, paths }: CommandContext, directory?: string): Promise<void> {
  const { path } = await fileFor(directory);
  const trusted = new Map(await readTrusted(paths.trustedProjects));
  const wasTrusted = trusted.delete(path);
  if (wasTrusted) write(paths.trustedProjects, trusted);
  if (json) return output.json({ file: path, trusted: false });
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
async function readFileFor(directory: string | undefined) {
  const { path, content } = await fileFor(directory);
  if (content.ok) return { path, wishes: await readWishes(content.text), hash: content.hash };
  throw new FailedError(`"${displayLine(path)}" is not applied: it ${content.reason}`);
}

function write(path: string, trusted: ReadonlyMap<string, string>): void {
  try {
    writeTrusted(path, trusted);
  } catch (error) {
    throw new FailedError(`Cannot write "${path}"`, {
      hint: 'Run "hookbell start" once: it creates the directory',
      cause: error,
    });
  }
}
