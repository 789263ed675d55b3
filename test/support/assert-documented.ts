import assert from 'node:assert/strict';

import { type DocumentedCommand, documentedTools, type WordKind } from './documented-tools.ts';

const forms: Readonly<Record<WordKind, RegExp>> = {
  any: /^/,
  'base64 of UTF-16LE': /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/,
  'bundle identifier': /^[A-Za-z\d-]+(?:\.[A-Za-z\d-]+)+$/,
  'domain target': /^(?:system|(?:user|login|gui|session|pid)\/\d+)\/?$/,
  name: /^[A-Za-z]\w*$/,
  number: /^\d+$/,
  path: /^(?:\/|[A-Z]:\\)/,
  'registry key': /^HK(?:LM|CU|CR|U|CC)(?:\\[^\\]+)+$/,
  'service target': /^(?:system|(?:user|login|gui|session|pid)\/\d+)\/[\w.-]+$/,
  'style flags': /^[ehos]+$/,
  'task name': /^[^\\/:*?"<>|]{1,238}$/,
};

/**
 * Fails unless the documentation of a tool allows these words.
 *
 * @param argv the tool, by the name it has in `documentedTools`, and its words
 */
export function assertDocumented([program = '', ...words]: readonly string[]): void {
  const tool = documentedTools[program];
  assert.ok(tool, `${program} is not among the documented tools`);
  const line = [program, ...words].join(' ');
  const source = tool.sources.map(({ name }) => name).join(', ');
  const [first = ''] = words;
  const isPlain = '' in tool.commands;
  const command = tool.commands[isPlain ? '' : first];
  assert.ok(command, `${line}: "${first}" is no subcommand in ${source}`);
  let rest = isPlain ? words : words.slice(1);
  if (command.first !== undefined) {
    assertForm(rest[0], command.first, `${line}: its first word`);
    rest = rest.slice(1);
  }
  const operands =
    tool.values === 'after ='
      ? joinedOperands(rest, command, line, source)
      : separateOperands(rest, command, line, source);
  assert.ok(
    command.operands.some((wanted) => fits(operands, wanted)),
    `${line}: "${operands.join(' ')}" does not fit in ${source}`,
  );
}

type Taken = (
  words: readonly string[],
  command: DocumentedCommand,
  line: string,
  source: string,
) => readonly string[];

/** Options first, as all these tools read them; an option or "--" ends nothing else. */
const separateOperands: Taken = (words, { options }, line, source) => {
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? '';
    if (word === '--') return words.slice(at + 1);
    if (!/^[-/]\w|^--\w/.test(word) || isPathOperand(word, options)) return words.slice(at);
    const kind = options[word];
    assert.ok(kind !== undefined, `${line}: ${word} is not in ${source}`);
    if (kind !== null) {
      at += 1;
      assertForm(words[at], kind, `${line}: the value of ${word}`);
    }
    at += 1;
  }
  return [];
};

const joinedOperands: Taken = (words, { options }, line, source) =>
  words.filter((word) => {
    if (!word.startsWith('-')) return true;
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const kind = options[name];
    assert.ok(kind !== undefined, `${line}: ${name} is not in ${source}`);
    if (kind === null) assert.equal(value, undefined, `${line}: ${name} takes no value`);
    else assertForm(value, kind, `${line}: the value of ${name}`);
    return false;
  });

/** A path of macOS begins like an option of Windows. */
function isPathOperand(word: string, options: DocumentedCommand['options']): boolean {
  return word.startsWith('/') && !Object.keys(options).some((name) => name.startsWith('/'));
}

function assertForm(value: string | undefined, kind: WordKind, what: string): void {
  assert.ok(value !== undefined && forms[kind].test(value), `${what} is "${value}", not: ${kind}`);
}

function fits(operands: readonly string[], wanted: DocumentedCommand['operands'][number]): boolean {
  const [kind, next] = wanted;
  if (kind === undefined) return operands.length === 0;
  if (kind === '...') return false;
  const [word, ...others] = operands;
  if (next === '...') {
    return operands.every((each) => forms[kind].test(each));
  }
  return word !== undefined && forms[kind].test(word) && fits(others, wanted.slice(1));
}
