/** The form of a word that is not an option, or is the value of one. */
export type WordKind =
  | 'any'
  | 'base64 of UTF-16LE'
  | 'bundle identifier'
  | 'domain target'
  | 'name'
  | 'number'
  | 'path'
  | 'registry key'
  | 'service target'
  | 'style flags'
  | 'task name';

export interface DocumentedCommand {
  /** The word that stands before the options. */
  readonly first?: WordKind;
  /** By option the value that follows it; null: none does. */
  readonly options: Readonly<Record<string, WordKind | null>>;
  /** The alternatives for the other words; "..." repeats the kind before it any number of times. */
  readonly operands: readonly (readonly (WordKind | '...')[])[];
}

export interface DocumentedTool {
  /** The documents that say so. */
  readonly sources: readonly { readonly name: string; readonly url: string }[];
  /** The day on which they were read. */
  readonly read: string;
  /** How a value follows its option. */
  readonly values: 'next word' | 'after =';
  /** By subcommand; "" for a tool without. */
  readonly commands: Readonly<Record<string, DocumentedCommand>>;
}

const noOperands = [[]] as const;

/**
 * Programs of macOS and Windows, which the machines of the tests do not have, as their vendors document them: what hookbell
 * uses and what is near it. Facts only, taken from the named documents and from nothing else.
 */
export const documentedTools: Readonly<Record<string, DocumentedTool>> = {
  launchctl: {
    sources: [
      {
        name: 'launchctl(1), macOS 26.4',
        url: 'https://man.freebsd.org/cgi/man.cgi?manpath=macOS+26.4&query=launchctl&sektion=1',
      },
    ],
    read: '2026-11-23',
    values: 'next word',
    commands: {
      bootstrap: {
        options: {},
        operands: [['domain target', 'path', '...'], ['service target']],
      },
      bootout: {
        options: {},
        operands: [['domain target', 'path', '...'], ['service target']],
      },
      enable: { options: {}, operands: [['service target']] },
      disable: { options: {}, operands: [['service target']] },
      kickstart: { options: { '-k': null, '-p': null }, operands: [['service target']] },
      print: { options: {}, operands: [['domain target'], ['service target']] },
    },
  },
  osascript: {
    sources: [
      {
        name: 'osascript(1), macOS 10.14',
        url: 'https://www.unix.com/man-page/mojave/1/osascript/',
      },
      {
        // Its manual does not mention "--".
        name: 'POSIX, Utility Syntax Guideline 10',
        url: 'https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap12.html',
      },
    ],
    read: '2026-11-23',
    values: 'next word',
    commands: {
      '': {
        options: { '-l': 'name', '-i': null, '-s': 'style flags', '-e': 'any' },
        operands: [['any', '...'], []],
      },
    },
  },
  say: {
    sources: [{ name: 'say(1), Xcode', url: 'https://keith.github.io/xcode-man-pages/say.1.html' }],
    read: '2026-11-28',
    values: 'next word',
    commands: {
      // "-f -" reads standard input.
      '': { options: { '-v': 'name', '-f': 'any', '-o': 'path' }, operands: [['any', '...'], []] },
    },
  },
  afplay: {
    // Its manual has no options; its own help does.
    sources: [{ name: 'afplay -h, 2016', url: 'http://jonasbn.github.io/til/afplay/rtfm.html' }],
    read: '2026-11-28',
    values: 'next word',
    commands: { '': { options: { '-v': 'number', '-t': 'number' }, operands: [['path']] } },
  },
  ioreg: {
    sources: [
      {
        name: 'ioreg(8), OS X 10.9',
        url: 'https://developer.apple.com/library/mac/documentation/Darwin/Reference/ManPages/man8/ioreg.8.html',
      },
      {
        name: 'ioreg(8), macOS 10.14',
        url: 'https://www.unix.com/man-page/mojave/8/ioreg/',
      },
    ],
    read: '2026-11-23',
    values: 'next word',
    commands: {
      '': {
        options: {
          '-a': null,
          '-b': null,
          '-f': null,
          '-i': null,
          '-l': null,
          '-r': null,
          '-t': null,
          '-x': null,
          '-c': 'name',
          '-d': 'number',
          '-k': 'name',
          '-n': 'name',
          '-p': 'name',
          '-w': 'number',
        },
        operands: noOperands,
      },
    },
  },
  open: {
    sources: [
      { name: 'open(1), macOS 10.14', url: 'https://www.unix.com/man-page/mojave/1/open/' },
      {
        name: 'its usage message, where files are optional',
        url: 'https://www.npmjs.com/package/mac-open',
      },
    ],
    read: '2026-11-23',
    values: 'next word',
    commands: {
      '': {
        options: {
          '-a': 'name',
          '-b': 'bundle identifier',
          '-e': null,
          '-t': null,
          '-f': null,
          '-F': null,
          '-W': null,
          '-R': null,
          '-n': null,
          '-g': null,
          '-j': null,
          '-h': null,
        },
        operands: [['path', '...'], []],
      },
    },
  },
  alerter: {
    sources: [
      {
        name: 'alerter 26.3, the definition of its command line',
        url: 'https://github.com/vjeantet/alerter/blob/06474a87da75d77c29fbddf0bbb2a045c8639da9/Sources/Alerter/AlerterCommand.swift',
      },
    ],
    read: '2026-11-23',
    values: 'after =',
    commands: {
      '': {
        options: {
          '--message': 'any',
          '--remove': 'any',
          '--list': 'any',
          '--reply': 'any',
          '--actions': 'any',
          '--dropdown-label': 'any',
          '--title': 'any',
          '--subtitle': 'any',
          '--close-label': 'any',
          '--sound': 'name',
          '--group': 'any',
          '--sender': 'bundle identifier',
          '--timeout': 'number',
          '--json': null,
          '--delay': 'number',
          '--ignore-dnd': null,
          // Of swift-argument-parser, for every command.
          '--help': null,
        },
        operands: noOperands,
      },
    },
  },
  'terminal-notifier': {
    sources: [
      {
        name: 'terminal-notifier, its manual',
        url: 'https://github.com/julienXX/terminal-notifier/blob/master/README.markdown',
      },
      {
        name: 'its releases, for -version',
        url: 'https://github.com/julienXX/terminal-notifier/releases',
      },
    ],
    read: '2026-11-23',
    values: 'next word',
    commands: {
      '': {
        options: {
          '-message': 'any',
          '-title': 'any',
          '-subtitle': 'any',
          '-sound': 'name',
          '-group': 'any',
          '-remove': 'any',
          '-list': 'any',
          '-activate': 'bundle identifier',
          '-open': 'any',
          '-execute': 'any',
          '-version': null,
        },
        operands: noOperands,
      },
    },
  },
  schtasks: {
    sources: [
      {
        name: 'Schtasks.exe, Win32 documentation',
        url: 'https://github.com/MicrosoftDocs/win32/blob/0180b6dbcaa133e58745702bf0ebefa871ee151b/desktop-src/TaskSchd/schtasks.md',
      },
      {
        name: 'schtasks create, for the form of names',
        url: 'https://github.com/MicrosoftDocs/windowsserverdocs/blob/01eb20cf9481cba97153a87229ca2d98ba9a419f/WindowsServerDocs/administration/windows-commands/schtasks-create.md',
      },
    ],
    read: '2026-11-23',
    values: 'next word',
    commands: {
      '/Create': {
        options: { '/TN': 'task name', '/XML': 'path', '/F': null, '/IT': null, '/Z': null },
        operands: noOperands,
      },
      '/Query': {
        options: { '/TN': 'task name', '/XML': null, '/NH': null, '/V': null, '/FO': 'name' },
        operands: noOperands,
      },
      '/Run': { options: { '/TN': 'task name' }, operands: noOperands },
      '/End': { options: { '/TN': 'task name' }, operands: noOperands },
      '/Delete': { options: { '/TN': 'task name', '/F': null }, operands: noOperands },
    },
  },
  reg: {
    sources: [
      {
        name: 'reg add, Windows commands',
        url: 'https://github.com/MicrosoftDocs/windowsserverdocs/blob/0541313d6f7fcf4821d448b519e93cf61f74f588/WindowsServerDocs/administration/windows-commands/reg-add.md',
      },
      {
        name: 'reg query, Windows commands',
        url: 'https://github.com/MicrosoftDocs/windowsserverdocs/blob/0ad3d1a5839b6c3bf70274f9c27b1afc0e9f2292/WindowsServerDocs/administration/windows-commands/reg-query.md',
      },
    ],
    read: '2026-11-28',
    values: 'next word',
    commands: {
      add: {
        options: { '/v': 'any', '/ve': null, '/t': 'name', '/s': 'any', '/d': 'any', '/f': null },
        first: 'registry key',
        operands: noOperands,
      },
      query: {
        first: 'registry key',
        options: { '/v': 'any', '/ve': null, '/s': null },
        operands: noOperands,
      },
      delete: {
        first: 'registry key',
        options: { '/v': 'any', '/ve': null, '/va': null, '/f': null },
        operands: noOperands,
      },
    },
  },
  'powershell.exe': {
    sources: [
      {
        name: 'about_PowerShell_exe, Windows PowerShell 5.1',
        url: 'https://github.com/MicrosoftDocs/PowerShell-Docs/blob/03aa693b52734e7a0a5d5dbc47eab133befef47f/reference/5.1/Microsoft.PowerShell.Core/About/about_PowerShell_exe.md',
      },
    ],
    read: '2026-11-23',
    values: 'next word',
    commands: {
      '': {
        options: {
          '-NoLogo': null,
          '-NoExit': null,
          '-Sta': null,
          '-Mta': null,
          '-NoProfile': null,
          '-NonInteractive': null,
          '-InputFormat': 'name',
          '-OutputFormat': 'name',
          '-WindowStyle': 'name',
          '-ExecutionPolicy': 'name',
          '-EncodedCommand': 'base64 of UTF-16LE',
        },
        operands: noOperands,
      },
    },
  },
  'conhost.exe': {
    sources: [
      {
        name: 'the arguments of the console host, in its source',
        url: 'https://github.com/microsoft/terminal/blob/4b19b57a29aadbf58cb1eeaeae6d91e075ec85ae/src/host/ConsoleArguments.cpp',
      },
    ],
    read: '2026-11-23',
    values: 'next word',
    // The command to run comes after its options.
    commands: { '': { options: { '--headless': null }, operands: [['any', '...'], []] } },
  },
  'cmd.exe': {
    sources: [
      {
        name: 'cmd, Windows commands',
        url: 'https://github.com/MicrosoftDocs/windowsserverdocs/blob/02cc58503b35e930a082ee5a1330131e5dc1394c/WindowsServerDocs/administration/windows-commands/cmd.md',
      },
    ],
    read: '2026-11-23',
    values: 'next word',
    commands: {
      '': {
        options: { '/c': 'any', '/k': 'any', '/s': null, '/q': null, '/d': null, '/a': null },
        operands: noOperands,
      },
    },
  },
};
