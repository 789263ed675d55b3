import type { Command } from 'commander';

/** The meanings of the exit codes in `exitCodes`. */
export const exitCodeTexts: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'ok'],
  [1, 'failed'],
  [2, 'usage'],
  [3, 'configuration invalid'],
  [4, 'daemon unreachable'],
  [5, 'no key or not allowed'],
  [6, 'not found'],
  [7, 'too many requests'],
  [8, 'partly done'],
  [9, 'over budget'],
];

export const programExamples: readonly (readonly [words: string, what: string])[] = [
  ['hookbell doctor', 'find and fix problems'],
  ['hookbell notify "The backup is done"', 'send a notification from a script'],
  ['hookbell explain last', 'why the last event notified you, or why not'],
];

/**
 * Returns the manual page of the whole command line, in the macros of man(7), generated from the `--help` texts.
 *
 * @param program with all its commands
 */
export function manPage(program: Command, version: string): string {
  const about = program.description();
  return [
    `.TH HOOKBELL 1 "" "hookbell ${text(version)}" "User Commands"`,
    '.SH NAME',
    `hookbell \\- ${text(about.slice(0, 1).toLowerCase())}${text(about.slice(1))}`,
    '.SH SYNOPSIS',
    '.B hookbell',
    '[\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]',
    '.SH OPTIONS',
    ...options(program),
    '.SH COMMANDS',
    ...commandsBelow(program).flatMap((command) => section(command)),
    '.SH EXIT STATUS',
    ...exitCodeTexts.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, text(meaning)]),
    '.SH FILES',
    '.TP',
    '.I ~/.config/hookbell/config.yaml',
    'The configuration; "hookbell config check" names its file.',
    '.TP',
    '.I ~/.local/state/hookbell',
    'Stored data and the log.',
    '.SH EXAMPLES',
    ...programExamples.flatMap(([words, what]) => ['.TP', `.B ${text(words)}`, text(what)]),
    '',
  ].join('\n');
}

/** Called by programs: the completion scripts and agents. */
const OF_PROGRAMS = ['complete', 'hook'];

/** Returns the commands with an action, each followed by its subcommands; also those that `--help` leaves out. */
function commandsBelow(command: Command): readonly Command[] {
  return command.commands
    .filter((one) => one.name() !== 'help' && !OF_PROGRAMS.includes(one.name()))
    .flatMap((one) => (one.commands.length === 0 ? [one] : commandsBelow(one)));
}

function section(command: Command): readonly string[] {
  return [
    `.SS ${text(fullName(command))}`,
    text(sentence(command.description())),
    ...command.registeredArguments.flatMap((argument) =>
      argument.description === ''
        ? []
        : ['.TP', `.I ${text(argument.name())}`, text(argument.description)],
    ),
    ...options(command),
  ];
}

function options(command: Command): readonly string[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .flatMap(({ flags, description }) => ['.TP', `.B ${text(flags)}`, text(description)]);
}

/** "hookbell queue retry [id...]" */
function fullName(command: Command): string {
  const { parent } = command;
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [parent === null ? '' : nameOf(parent), command.name(), ...words].join(' ').trim();
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

function sentence(description: string): string {
  return `${description.slice(0, 1).toUpperCase()}${description.slice(1)}.`;
}

/** Escapes a text for roff: no escapes, no request at the start of a line, hyphens that can be copied. */
function text(raw: string): string {
  const escaped = raw
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/\s*\n\s*/g, ' ');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
