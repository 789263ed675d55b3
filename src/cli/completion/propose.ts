import type { Command, Option } from 'commander';

import { knownWords } from '../option-values.ts';
import { type ValueSource, sourceOf } from './value-source.ts';

export interface Proposal {
  readonly value: string;
  /** Shown by shells that support it; empty if the value needs none. */
  readonly description: string;
}

export interface Proposals {
  /** Values known without a request. */
  readonly words: readonly Proposal[];
  /** Source of further values. */
  readonly source: ValueSource | null;
  /** Prefix of the matching proposals. */
  readonly begun: string;
  /** Text before each value in the word being typed, such as "--agent=". */
  readonly before: string;
}

/** Where in the command line the cursor stands. */
interface Place {
  readonly command: Command;
  /** The option whose value comes next. */
  readonly option: Option | null;
  /** Number of arguments already given. */
  readonly given: number;
  readonly onlyArguments: boolean;
}

/**
 * Returns the proposals at the cursor.
 *
 * @param words the words after the program name; the last is the word being typed, possibly empty
 */
export function propose(program: Command, words: readonly string[]): Proposals {
  // bash splits "--agent=x" into three words.
  const parts = words.filter((word, index) => word !== '=' || index === words.length - 1);
  const place = parts.slice(0, -1).reduce(step, start(program));
  const typed = parts.at(-1) ?? '';
  const begun = typed === '=' ? '' : typed;
  const { command, option, given, onlyArguments } = place;
  if (option !== null) return { ...valuesOf(command, option), begun, before: '' };
  if (begun.startsWith('-') && !onlyArguments) {
    const at = begun.indexOf('=');
    const named = at < 0 ? undefined : findOption(command, begun.slice(0, at));
    if (named === undefined) return { words: optionsOf(command), source: null, begun, before: '' };
    const before = begun.slice(0, at + 1);
    return { ...valuesOf(command, named), begun: begun.slice(at + 1), before };
  }
  const last = command.registeredArguments.at(-1);
  const argument =
    command.registeredArguments[given] ?? (last?.variadic === true ? last : undefined);
  return {
    words: given === 0 ? commandsOf(command) : [],
    source: argument === undefined ? null : sourceOf(pathOf(command), argument.name()),
    begun,
    before: '',
  };
}

function start(command: Command): Place {
  return { command, option: null, given: 0, onlyArguments: false };
}

function step(place: Place, word: string): Place {
  const { command, option, given, onlyArguments } = place;
  if (option !== null) return { ...place, option: null };
  if (onlyArguments) return { ...place, given: given + 1 };
  if (word === '--') return { ...place, onlyArguments: true };
  if (word.startsWith('-')) {
    const named = findOption(command, word);
    return named?.required === true ? { ...place, option: named } : place;
  }
  const next = given === 0 ? command.commands.find((one) => answersTo(one, word)) : undefined;
  return next === undefined ? { ...place, given: given + 1 } : start(next);
}

function answersTo(command: Command, word: string): boolean {
  return command.name() === word || command.aliases().includes(word);
}

/** Looks in the command and its parents. */
function findOption(command: Command, flag: string): Option | undefined {
  const ownOption = command.options.find(({ long, short }) => flag === long || flag === short);
  return ownOption ?? (command.parent === null ? undefined : findOption(command.parent, flag));
}

function optionsOf(command: Command): readonly Proposal[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].flatMap(
    ({ long, description }) => (long == null ? [] : [{ value: long, description }]),
  );
}

function commandsOf(command: Command): readonly Proposal[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')
    .map((one) => ({ value: one.name(), description: one.description() }));
}

function valuesOf(command: Command, option: Option): Pick<Proposals, 'words' | 'source'> {
  const { parseArg, flags } = option;
  const choices = parseArg === undefined ? [] : knownWords(parseArg);
  if (choices.length > 0) {
    return { words: choices.map((value) => ({ value, description: '' })), source: null };
  }
  const [, placeholder = ''] = /[<[]([^>\]]*)[>\]]/.exec(flags) ?? [];
  return { words: [], source: sourceOf(pathOf(command), option.name(), placeholder) };
}

/** "queue retry", without the name of the program. */
function pathOf(command: Command): string {
  const { parent } = command;
  if (parent === null) return '';
  return `${pathOf(parent)} ${command.name()}`.trim();
}
