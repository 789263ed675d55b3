import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';

import { stringify } from 'yaml';

import { findProgram } from '../../platform/find-program.ts';
import { isJsonObject } from '../../platform/json.ts';
import { writeAtomically } from '../../platform/replace-file.ts';
import { refusedSecrets } from '../../config/channel-schema.ts';
import type { Config } from '../../config/config.ts';
import { formatProblem, pathText, type Problem } from '../../config/problem.ts';
import { secretReader } from '../../config/secrets.ts';
import { examineSurroundings, secretWarnings } from '../../config/secret-places.ts';
import { starterConfig } from '../../config/starter.ts';
import { FailedError, NotFoundError } from '../../platform/errors.ts';
import { fileExists } from '../../setup/settings-file.ts';
import { displayLine, displayText } from '../../text/sanitize.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { configSchemaFile } from '../install-places.ts';
import { typedLine } from '../open-question.ts';
import { loadFullConfig, requireConfig } from '../read-config.ts';

/** `hookbell config check|show|init|edit`. */
export const defineConfig: DefineCommand = (program, run) => {
  const config = program
    .command('config')
    .description('check, show, edit or create the configuration');

  config
    .command('check')
    .argument('[file]', 'file to use instead of the active configuration')
    .description('validate the configuration and report every problem')
    .action(run(check));

  config
    .command('show')
    .description('show the effective configuration, with defaults filled in and secrets masked')
    .action(run(show));

  config
    .command('init')
    .option('--force', 'replace an existing configuration')
    .description('write a starter configuration with every section explained')
    .action(run(init));

  config
    .command('edit')
    .description('open the configuration in your editor ($VISUAL or $EDITOR), then check it')
    .action(run(edit));
};

async function check(
  { output, json, paths, env }: CommandContext,
  file: string | undefined,
): Promise<ExitCode> {
  const path = file === undefined ? paths.config : resolve(file);
  const { platform } = process;
  const source = { env, platform, baseDir: dirname(path), home: homedir() };
  const loaded = await loadFullConfig(path, {
    examine: (config) => examineSurroundings(config, source),
  });
  if (loaded.ok && !loaded.config.exists && file !== undefined) {
    throw new NotFoundError(`File "${path}" does not exist`);
  }
  const problems = loaded.ok ? await refusedByChannels(loaded.config, env) : loaded.problems;
  const ok = problems.length === 0;
  const warnings = loaded.ok
    ? [...loaded.warnings.map(formatProblem), ...secretWarnings(loaded.config)]
    : [];
  if (json) {
    output.json({ path, ok, problems, warnings });
  } else {
    for (const problem of problems) output.line(displayLine(formatProblem(problem)));
    for (const warning of warnings) output.line(`warning: ${displayLine(warning)}`);
    if (!ok) output.say(`"${path}" is not valid`);
    else if (loaded.ok && loaded.config.exists) output.say(`"${path}" is valid`);
    else output.say(`"${path}" does not exist: the built-in configuration is in use`);
  }
  return ok ? exitCodes.ok : exitCodes.configInvalid;
}

/** The secrets that a channel refuses: a test of it fails, although the daemon takes the file. */
async function refusedByChannels(
  { channels, raw, path }: Config,
  env: NodeJS.ProcessEnv,
): Promise<readonly Problem[]> {
  const readSecret = secretReader(path, env);
  const found = channels.map(async ({ name, definition }) => {
    const entries = raw['channels'];
    const entry = isJsonObject(entries) ? entries[name] : null;
    return isJsonObject(entry) ? refusedSecrets(name, entry, { definition, readSecret }) : [];
  });
  return (await Promise.all(found)).flat().map((finding) => ({
    file: path,
    line: null,
    column: null,
    path: pathText(finding.path),
    message: finding.message,
  }));
}

async function show({ output, json, paths }: CommandContext): Promise<void> {
  const { raw, exists, path } = await requireConfig(paths.config);
  if (!exists) output.say(`"${path}" does not exist: this is the built-in configuration`);
  if (json) output.json(raw);
  else output.line(displayText(stringify(raw)));
}

/**
 * The daemon keeps its configuration while the file is invalid, so the file is edited in place, and an invalid one may be
 * kept for later.
 *
 * @throws FailedError when the editor cannot be run or ends with an error, or there is no terminal for the usual one
 */
async function edit(context: CommandContext): Promise<ExitCode> {
  const { env, paths, output } = context;
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (!isTerminal && !env['VISUAL'] && !env['EDITOR']) {
    throw new FailedError('Cannot open an editor: this is not a terminal', {
      hint: `Set VISUAL or EDITOR, or edit "${paths.config}" and run "hookbell config check"`,
    });
  }
  if (!(await fileExists(paths.config))) await init(context, {});
  for (;;) {
    await runEditor(env, paths.config);
    const code = await check(context, undefined);
    if (code === exitCodes.ok) return code;
    const isAsked = process.stdin.isTTY && process.stderr.isTTY;
    if (!isAsked || /^n/i.test(await typedLine('Edit it again? [Y/n] '))) {
      output.say('The file is kept. The daemon keeps its current configuration');
      return code;
    }
  }
}

/** Ctrl-C in an editor is a key of the editor, and must not end this program. */
function leaveToEditor(): void {}

async function runEditor(env: NodeJS.ProcessEnv, path: string): Promise<void> {
  const isWindows = process.platform === 'win32';
  const editor = env['VISUAL'] || env['EDITOR'] || (isWindows ? 'notepad' : 'vi');
  const [program, words] = isWindows
    ? await editorWords(editor, env['PATH'])
    : // As git does: the variable may hold options, and the shell takes them apart.
      ['/bin/sh', ['-c', `${editor} "$@"`, editor]];
  const hint = 'Set VISUAL or EDITOR to the editor you use';
  if (program === null) throw new FailedError(`Cannot run editor "${editor}"`, { hint });
  process.on('SIGINT', leaveToEditor);
  try {
    const { execa } = await import('execa');
    const call = { stdio: 'inherit', reject: false } as const;
    const { exitCode, cause } = await execa(program, [...words, path], call);
    if (exitCode === 0) return;
    throw new FailedError(`Editor "${editor}" exited with ${exitCode}, expected 0`, {
      hint,
      cause,
    });
  } finally {
    process.off('SIGINT', leaveToEditor);
  }
}

/** A shell of Windows would change words, and run an editor that a project has in its folder. */
async function editorWords(editor: string, searchPath: string | undefined) {
  const whole = await findProgram(editor, searchPath);
  if (whole !== null) return [whole, []] as const;
  const [program = '', ...words] = [...editor.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, word = '']) => quoted ?? word,
  );
  return [await findProgram(program, searchPath), words] as const;
}

async function init(
  { output, json, paths }: CommandContext,
  { force = false }: { readonly force?: boolean },
): Promise<void> {
  const path = paths.config;
  if (!force && (await fileExists(path))) {
    throw new FailedError(`Cannot write "${path}": it already exists`, {
      hint: 'Run "hookbell config init --force" to replace it',
    });
  }
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeAtomically(path, starterConfig(configSchemaFile(paths)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FailedError(`Cannot write "${path}": ${reason}`, { cause: error });
  }
  if (json) output.json({ path });
  else output.say(`Wrote ${path}: edit it, then run "hookbell config check"`);
}
