/**
 * What runs the hooks of an agent on Windows. `exec`: the agent itself, without a shell. `powershell`: PowerShell.
 * `named-powershell`: PowerShell if the hook names it, else whatever it finds. `either-shell`: cmd or PowerShell.
 */
export type WindowsRunner =
  | 'exec'
  | 'powershell'
  | 'named-powershell'
  | 'either-shell'
  | 'posix-shell';

/** A hook as the settings of an agent on Windows have it. */
export interface WindowsCommand {
  readonly command: string;
  /** Absent: a shell reads the command. */
  readonly args?: readonly string[];
  readonly shell?: 'powershell';
}

/** Runs the hook, and nothing, silently, once it was removed: settings travel without the program. Its `argv` is the usual one. */
const RUN_IF_THERE: readonly string[] = ['-e', 'try{require(process.argv[1])}catch{}'];

/** Sets a variable that nothing reads: cmd and PowerShell both take what follows "&" for the program, but not as a first sign. */
const EITHER_SHELL = 'set hookbell=1; & ';
const POWERSHELL = '& ';

/** Node, its options, the hook and the words of the hook. */
export function windowsWords(
  node: string,
  hook: string,
  words: readonly string[],
): readonly string[] {
  return [node, ...RUN_IF_THERE, hook, ...words];
}

/** The files that a command runs, without the words after them. */
export function programsIn(words: readonly string[]): readonly string[] {
  const [first = '', option, , hook = ''] = words;
  return option === RUN_IF_THERE[0] ? [first, hook] : [first];
}

/** The words as an agent takes them, which {@link whyNoWindowsCommand} has to allow. */
export function windowsCommand(runner: WindowsRunner, words: readonly string[]): WindowsCommand {
  const [command = '', ...args] = words;
  const quoted = (quote: string): string =>
    words.map((word) => quote + word.replaceAll("'", quote === "'" ? "''" : "'") + quote).join(' ');
  switch (runner) {
    case 'exec':
      return { command, args };
    case 'powershell':
      return { command: POWERSHELL + quoted("'") };
    case 'named-powershell':
      return { command: POWERSHELL + quoted("'"), shell: 'powershell' };
    case 'either-shell':
      return { command: EITHER_SHELL + quoted('"') };
    case 'posix-shell':
      return { command: quoted('"') };
  }
}

/**
 * What would change on the way through the program that runs the hook; null: nothing. Backslashes at the end escape the
 * quote that Windows programs see behind them. PowerShell takes typographic quotes for plain ones.
 */
const spoiled: Readonly<Record<WindowsRunner, RegExp>> = {
  exec: /\p{Cc}|\$\{|["\\]$/u,
  powershell: /[\p{Cc}"\u2018-\u201f]|\\$/u,
  'named-powershell': /[\p{Cc}"\u2018-\u201f]|\\$/u,
  'either-shell': /[\p{Cc}"\u2018-\u201f%!$`]|\\$/u,
  'posix-shell': /[\p{Cc}"$`]|\\(?:\\|$)/u,
};

/** Why the words cannot be registered; null if they can. */
export function whyNoWindowsCommand(
  runner: WindowsRunner,
  words: readonly string[],
): string | null {
  const bad = words.find((word) => spoiled[runner].test(word));
  const sign = bad === undefined ? '' : (spoiled[runner].exec(bad)?.[0] ?? '');
  return bad === undefined
    ? null
    : `this agent would read "${bad}" differently, because of ${JSON.stringify(sign)}`;
}

/** The words of a command that {@link windowsCommand} wrote; null if it did not. */
export function readWindowsCommand(command: string): readonly string[] | null {
  const start = [EITHER_SHELL, POWERSHELL].find((each) => command.startsWith(each));
  const line = start === undefined ? command : command.slice(start.length);
  if (!/^(?:"[^"]*"|'(?:[^']|'')*')(?: (?:"[^"]*"|'(?:[^']|'')*'))+$/.test(line)) return null;
  return [...line.matchAll(/"([^"]*)"|'((?:[^']|'')*)'/g)].map(
    ([, double, single = '']) => double ?? single.replaceAll("''", "'"),
  );
}

/** A command with arguments as {@link readWindowsCommand} reads it. */
export function windowsLine(command: string, args: readonly string[]): string {
  return [command, ...args].map((word) => `"${word}"`).join(' ');
}
