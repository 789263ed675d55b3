import { windowsWords } from '../../text/windows-command.ts';
import { PORTABLE_HOOK } from '../hook-places.ts';

const PORTABLE_IMPORTS = `import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

const local = userInfo().homedir + '/AppData/Local/Programs/hookbell';
const isWindows = process.platform === 'win32' && existsSync(local);
`;
/** The directories of the user who runs the agent, because this file may be in a repository. */
const PORTABLE_LOOK_UP = `isWindows ? readFileSync(local + '/node-path', 'utf8').trim() : [userInfo().homedir + '/.local/share', '/usr/lib']
  .map((place) => place + '/hookbell/hooks/' + hook)
  .find((path) => existsSync(path))`;

/** Lets an agent wait at its end, because without a terminal it ends right after its last event. */
export const HANDED_OVER = `
function handedOver() {
  const until = Date.now() + 2000;
  return new Promise((resolve) => {
    const look = () => (running && Date.now() < until ? setTimeout(look, 5) : resolve());
    look();
  });
}
`;

export interface PluginParts {
  readonly hook: string;
  /** The Node that runs the hook, on Windows; absent: the system runs it. */
  readonly node?: string | undefined;
  /** Absolute path of hookbell-ask; null: nothing is answered from elsewhere. */
  readonly ask: string | null;
  readonly words: readonly string[];
  readonly events: readonly string[];
}

/**
 * What every plugin of ours begins with: its constants, and a function `hand` that gives a document to the hook. One hook runs at a
 * time: of two concurrently, the later event could arrive first, such as the end of a turn before the interruption that caused it.
 *
 * @param product the agent, for a reader of the file
 */
export function handOverText(
  product: string,
  { hook, node, ask, words, events }: PluginParts,
): string {
  const [program = '', ...others] =
    node === undefined ? ['hook', ...words] : windowsWords(JSON.stringify(node), hook, words);
  return `// Hands events of ${product} to hookbell. Written by "hookbell install", removed by "hookbell uninstall".
import { spawn } from 'node:child_process';
${hook === PORTABLE_HOOK ? PORTABLE_IMPORTS : ''}
const hook = ${JSON.stringify(hook)};
const program = ${hook === PORTABLE_HOOK ? PORTABLE_LOOK_UP : program};
const ask = ${JSON.stringify(ask)};
const words = ${JSON.stringify(others)};
const events = ${JSON.stringify(events)};
${hook === PORTABLE_HOOK ? "if (isWindows) words.unshift(local + '/dist/program/hookbell-hook.cjs');\n" : ''}const waiting = [];
let running = false;

function next() {
  const told = waiting.shift();
  running = told !== undefined;
  if (!running) return;
  try {
    const child = spawn(program, words, { stdio: ['pipe', 'ignore', 'ignore'], detached: true, windowsHide: true });
    const goOn = () => {
      clearTimeout(timer);
      child.removeListener('exit', goOn);
      child.removeListener('error', goOn);
      next();
    };
    const timer = setTimeout(goOn, 1000);
    timer.unref?.();
    child.on('exit', goOn);
    child.on('error', goOn);
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(told));
    child.unref();
  } catch {
    // The agent must not notice.
    running = false;
  }
}

function hand(told) {
  waiting.push(told);
  if (!running) next();
}
`;
}
