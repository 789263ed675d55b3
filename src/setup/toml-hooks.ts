import type { Registration } from '../core/agent/registration.ts';
import { windowsCommand, windowsWords } from '../text/windows-command.ts';
import type { Edited, HookFormat, RegisteredHook } from './hook-layout.ts';
import { hookCommandLine, isOwnCommand } from './hook-places.ts';
import { readTomlTables, tomlStrings } from './toml-top.ts';

const HEADER = '[[hooks]]';

/** Tables `[[hooks]]` of a TOML file (Kimi Code), ours at its end; everything else keeps its bytes. Any other `hooks` is left alone. */
export const tomlHooks: HookFormat = {
  register(text, registration, hook) {
    const file = text ?? '';
    const found = ownTables(file);
    if (!found.ok) return found;
    const wanted = registration.events.map(({ name, timeoutSeconds, matcher }) => ({
      event: name,
      command: commandOf(registration, hook),
      timeout: timeoutSeconds,
      matcher,
    }));
    const isThere = (one: RegisteredHook): boolean =>
      found.own.some(({ event, command }) => event === one.event && command === one.command);
    if (found.own.length === wanted.length && wanted.every(isThere)) {
      return { ok: true, text: file, changed: false, blank: false };
    }
    return replaceTables(file, found.own, textOf(wanted));
  },
  byHand: () => null,
  unregister(text) {
    const found = ownTables(text);
    return found.ok ? replaceTables(text, found.own, '') : found;
  },
  list(text) {
    const found = ownTables(text);
    return found.ok ? { ok: true, hooks: found.own, asks: [] } : found;
  },
};

function commandOf({ node, windows, words = [] }: Registration, hook: string): string {
  if (node === undefined) return hookCommandLine(hook, words);
  return windowsCommand(windows ?? 'either-shell', windowsWords(node, hook, words)).command;
}

function textOf(
  hooks: readonly (RegisteredHook & { readonly matcher: string | undefined })[],
): string {
  return hooks
    .flatMap(({ event, command, timeout, matcher }) => [
      `\n${HEADER}\nevent = ${JSON.stringify(event)}\n`,
      ...(matcher === undefined ? [] : [`matcher = ${JSON.stringify(matcher)}\n`]),
      `command = ${JSON.stringify(command)}\ntimeout = ${timeout}\n`,
    ])
    .join('');
}

interface OwnTable extends RegisteredHook {
  readonly start: number;
  readonly end: number;
}

type Found =
  | { readonly ok: true; readonly own: readonly OwnTable[] }
  | { readonly ok: false; readonly problem: string };

/** Our tables, in the order of the file. */
function ownTables(text: string): Found {
  const read = readTomlTables(text);
  if (!read.ok) return { ok: false, problem: `cannot parse line ${read.line}` };
  const isOther = read.tables.some(
    ({ header, pairs }) =>
      (header === null && pairs.some(({ key }) => /^["']?hooks\b/.test(key))) ||
      (header !== null && header !== HEADER && /^\[+["']?hooks\b/.test(header)),
  );
  if (isOther) return { ok: false, problem: '"hooks" is not a list of tables' };
  const own = read.tables.flatMap(({ header, start, end, pairs }) => {
    const value = (name: string): string => pairs.find(({ key }) => key === name)?.value ?? '';
    const [command = '', event = ''] = ['command', 'event'].map(
      (name) => tomlStrings(`[${value(name)}]`)?.[0],
    );
    if (header !== HEADER || !isOwnCommand(command)) return [];
    const timeout = /^\d+$/.test(value('timeout')) ? Number(value('timeout')) : null;
    return [{ event, command, timeout, start, end }];
  });
  return { ok: true, own };
}

/** Removes these tables, and the empty line above each, and adds others at the end. */
export function replaceTables(
  text: string,
  tables: readonly Pick<OwnTable, 'start' | 'end'>[],
  added: string,
): Edited {
  let rest = text;
  for (const { start, end } of tables.toReversed()) {
    rest = rest.slice(0, start).replace(/(^|\n)\r?\n$/, '$1') + rest.slice(end);
  }
  const gap = added === '' || rest === '' || rest.endsWith('\n') ? '' : '\n';
  const next = `${rest}${gap}${added}`;
  return { ok: true, text: next, changed: next !== text, blank: next.trim() === '' };
}
