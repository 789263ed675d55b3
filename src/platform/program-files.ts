import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the program this code belongs to: a checkout, or the installed copy. */
export const ownProgram: string = folderOf(dirname(fileURLToPath(import.meta.url)));

/** Files of the program that other programs run or show. */
const files = {
  commandLine: join('dist', 'program', 'cli.js'),
  daemon: join('dist', 'program', 'daemon.js'),
  farFiles: join('dist', 'program', 'far-files.js'),
  nodeNotifier: join('dist', 'program', 'node-notifier-main.js'),
  checkPages: join('dist', 'program', 'check-pages.js'),
  hook: join('dist', 'program', 'hookbell-hook.cjs'),
  manual: join('dist', 'program', 'hookbell.1'),
  syntaxParser: join('dist', 'program', 'web-tree-sitter.wasm'),
  shellGrammar: join('dist', 'program', 'tree-sitter-bash.wasm'),
  shellHook: join('hooks', 'hookbell-hook'),
  askHook: join('hooks', 'hookbell-ask'),
  command: join('hooks', 'hookbell-command'),
  icon: join('config', 'icons', 'hookbell.png'),
  smallIcon: join('config', 'icons', 'hookbell-48.png'),
  drawnIcon: join('config', 'icons', 'hookbell.svg'),
} as const;

/** Path of a file that other programs run or show; of the program in `folder`, else of this one. */
export function programFile(name: keyof typeof files, folder = ownProgram): string {
  return join(folder, files[name]);
}

/** The words that run the hook of the program in `folder`: Windows has no shell for the usual one. */
export function hookArguments(folder = ownProgram): readonly [string, ...string[]] {
  return process.platform === 'win32'
    ? [process.execPath, programFile('hook', folder)]
    : [programFile('shellHook', folder)];
}

/** This Node by a path that stays: fnm makes one for each shell, which goes with the shell. */
export function lastingNode(node = process.execPath): string {
  return /[\\/]fnm_multishells[\\/]/.test(node) ? realpathSync(node) : node;
}

/** The oldest Node that hookbell runs with; as "engines" in package.json says. */
export const OLDEST_NODE = '20.19';

/** @param version of a Node, such as "20.19.0" */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** The version of this program's package. */
export function ownVersion(): string {
  const text = readFileSync(join(ownProgram, 'package.json'), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}

/** The same code runs from a bundle and from single modules, which are in deeper folders. */
function folderOf(place: string): string {
  const above = dirname(place);
  return above === place || existsSync(join(place, 'package.json')) ? place : folderOf(above);
}
