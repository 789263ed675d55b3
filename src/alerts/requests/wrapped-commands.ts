import type { ShellReading, ShellWord } from './shell-word.ts';

/** A command that runs the command after it. */
interface Wrapper {
  /** Options without and with a value; one that is not known may mean anything. */
  readonly plain?: RegExp;
  readonly valued?: RegExp;
  /** Words between the options and that command. */
  readonly before?: number;
  /** Adds words that no one has seen. */
  readonly adds?: true;
}

const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['sudo', { plain: /^-[nEH]$/, valued: /^-[ug]$/ }],
  ['doas', { plain: /^-n$/, valued: /^-u$/ }],
  ['env', { plain: /^(?:-i|[A-Za-z_]\w*=.*)$/s, valued: /^-u$/ }],
  ['xargs', { plain: /^-(?:[0rt]|[nPL]\d+|I\{\})$/, valued: /^-[nPLI]$/, adds: true }],
  ['timeout', { plain: /^--foreground$/, valued: /^-[ks]$/, before: 1 }],
  ['nice', { plain: /^-n?\d+$/, valued: /^-n$/ }],
  ['time', { plain: /^-p$/ }],
  ['stdbuf', { plain: /^-[ioe][0L]$/ }],
  ...['nohup', 'setsid', 'command', 'builtin', 'exec'].map((name): [string, Wrapper] => [name, {}]),
]);

/** They run what cannot be read here, or change what later words mean. */
const unreadable = new Set(
  'eval alias unalias trap coproc function shopt set enable hash bind parallel watch script su chroot unshare nsenter busybox'.split(
    ' ',
  ),
);
const shells = /^(?:ba|da|z|k)?sh$/;

/** Reads the words of a command, and the commands that it runs. False: that cannot be known. */
export function readShellWords(words: readonly ShellWord[], reading: ShellReading): boolean {
  const [first, ...rest] = words;
  // What is left of `A=1 >file`.
  if (first === undefined) return true;
  const name = first.value?.replace(/^\/(?:usr\/)?bin\//, '');
  if (name === undefined || first.text !== first.value || unreadable.has(name)) return false;
  const wrapper = wrappers.get(name);
  if (wrapper !== undefined) {
    const at = endOfOptions(rest, wrapper);
    if (at === null) return false;
    const inner = rest.slice(at);
    reading.add('wrapper', textsOf(words.slice(0, at + 1)));
    const added = wrapper.adds === true && inner.length > 0 ? [{ text: '…', value: null }] : [];
    return readShellWords([...inner, ...added], reading);
  }
  const [option, line] = rest;
  if (shells.test(name) && (option?.value ?? '-').startsWith('-') && option !== undefined) {
    const isLine = /^-[elx]*c$/.test(option.value ?? '');
    reading.add('wrapper', textsOf(words.slice(0, 2)));
    return isLine && line !== undefined && line.value !== null && reading.readInner(line.value);
  }
  const own = name === 'find' ? withoutCommands(words, reading) : words;
  if (own !== null) reading.add('command', textsOf(own));
  return own !== null;
}

function textsOf(words: readonly ShellWord[]): readonly string[] {
  return words.map(({ text }) => text);
}

/** Null if an option is not known. */
function endOfOptions(
  words: readonly ShellWord[],
  { plain, valued, before = 0 }: Wrapper,
): number | null {
  let at = 0;
  for (; at < words.length; at += 1) {
    const value = words[at]?.value ?? '-';
    if (valued?.test(value) === true) at += 1;
    else if (plain?.test(value) !== true) {
      if (value.startsWith('-')) return null;
      break;
    }
  }
  const end = at + before;
  const isKnown = words.slice(0, end).every(({ value }) => value !== null);
  return end <= words.length && isKnown ? end : null;
}

/** The words of a `find` without the commands of its `-exec`, which are read; null if one cannot be. */
function withoutCommands(
  words: readonly ShellWord[],
  reading: ShellReading,
): readonly ShellWord[] | null {
  const own: ShellWord[] = [];
  for (let at = 0; at < words.length; at += 1) {
    own.push(...words.slice(at, at + 1));
    if (!/^-(?:exec|ok)(?:dir)?$/.test(words[at]?.value ?? '')) continue;
    const begin = at + 1;
    at = words.findIndex(({ value }, index) => index > begin && /^[;+]$/.test(value ?? ''));
    if (at === -1 || !readShellWords(words.slice(begin, at), reading)) return null;
  }
  return own;
}
