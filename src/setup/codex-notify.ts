import { shellWord } from '../text/escape.ts';
import type { Registration } from '../core/agent/registration.ts';
import type { Edited, HookFormat } from './hook-layout.ts';
import { isOwnCommand } from './hook-places.ts';
import { readTomlTop, type TomlPair, tomlStrings } from './toml-top.ts';
import { programsIn, windowsLine, windowsWords } from '../text/windows-command.ts';

const KEY = 'notify';
const EVENT = 'agent-turn-complete';
/** A table of that name; or the key as the first part of a longer one. */
const OTHER_NOTIFY = /^[ \t]*\[+[ \t]*["']?notify["']?[ \t]*[\].]/m;

/**
 * The key `notify` of Codex's `config.toml`: a program and its arguments, run at the end of each turn with the payload as one
 * more argument. The file belongs to the user: one line is added or removed, everything else keeps its bytes.
 */
export const codexNotify: HookFormat = {
  register(text, registration, hook) {
    const argv = argvOf(registration, hook);
    const line = lineOf(argv);
    const found = find(text ?? '');
    if (!found.ok) return { ok: false, problem: found.problem };
    const { pair, insertAt } = found;
    const file = text ?? '';
    const lineEnd = file.includes('\r\n') ? '\r\n' : '\n';
    if (pair === null) {
      const before = file.slice(0, insertAt);
      const gap = before === '' || before === '\ufeff' || before.endsWith('\n') ? '' : lineEnd;
      return edited(`${before}${gap}${line}${lineEnd}${file.slice(insertAt)}`, true);
    }
    const present = tomlStrings(pair.value);
    if (!isOwn(pair)) {
      const problem = `"${KEY}" is taken: ${pair.value.replaceAll(/\s+/g, ' ')}`;
      return { ok: false, problem, byHand: `in the program that "${KEY}" runs now: ${line}` };
    }
    if (present?.join('\0') === argv.join('\0')) return edited(file, false);
    return edited(`${file.slice(0, pair.start)}${line}${lineEnd}${file.slice(pair.end)}`, true);
  },
  byHand: (registration, hook) => lineOf(argvOf(registration, hook)),
  unregister(text) {
    const found = find(text);
    if (!found.ok) return { ok: false, problem: found.problem };
    const { pair } = found;
    if (pair === null || !isOwn(pair)) return edited(text, false);
    return edited(`${text.slice(0, pair.start)}${text.slice(pair.end)}`, true);
  },
  list(text) {
    const found = find(text);
    if (!found.ok) return { ok: false, problem: found.problem };
    if (found.pair === null || !isOwn(found.pair)) return { ok: true, hooks: [], asks: [] };
    const argv = tomlStrings(found.pair.value) ?? [];
    const [first = '', ...others] = argv;
    const command = isOwnCommand(first)
      ? argv.map(shellWord).join(' ')
      : windowsLine(first, others);
    return { ok: true, hooks: [{ event: EVENT, command, timeout: null }], asks: [] };
  },
};

function argvOf({ node, words = [] }: Registration, hook: string): readonly string[] {
  return node === undefined ? [hook, ...words] : windowsWords(node, hook, words);
}

function lineOf(argv: readonly string[]): string {
  return `${KEY} = [${argv.map((word) => JSON.stringify(word)).join(', ')}]`;
}

function edited(text: string, changed: boolean): Edited {
  return { ok: true, text, changed, blank: text.trim() === '' };
}

type Found =
  | { readonly ok: true; readonly pair: TomlPair | null; readonly insertAt: number }
  | { readonly ok: false; readonly problem: string };

function find(text: string): Found {
  const top = readTomlTop(text);
  if (!top.ok) return { ok: false, problem: `cannot parse line ${top.line}` };
  if (
    top.pairs.some(({ key }) => /^["']?notify["']?[ \t]*\./.test(key)) ||
    OTHER_NOTIFY.test(text)
  ) {
    return { ok: false, problem: `"${KEY}" is not a list of strings` };
  }
  const pair = top.pairs.find(({ key }) => /^(["']?)notify\1$/.test(key)) ?? null;
  // Behind the last pair, so that a comment above the first table stays with its table; a file that has none
  // may begin with a directive for editors, which has to stay first.
  const directive = /^\ufeff?(?:#:[^\n]*(?:\n|$))?/.exec(text)?.[0].length ?? 0;
  return { ok: true, pair, insertAt: top.pairs.at(-1)?.end ?? directive };
}

function isOwn({ value }: TomlPair): boolean {
  return isOwnCommand(programsIn(tomlStrings(value) ?? []).at(-1) ?? '');
}
