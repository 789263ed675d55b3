import type { ParseShell, SyntaxNode } from '../../platform/shell-syntax.ts';
import { type CommandPart, quotedWord, type ShellReading, type ShellWord } from './shell-word.ts';
import { readShellWords } from './wrapped-commands.ts';

/** More would not be read by a person, either. */
const MOST_PARTS = 40;
const DEEPEST = 4;

/** Control characters other than a tab and the end of a line, which shells and the grammar take differently. */
// oxlint-disable-next-line no-control-regex -- those
const STRANGE = /[\0-\u0008\v-\u001f\u007f]/;

/**
 * Every command that a command line runs, in order, with those in substitutions, loops and wrappers. Null: that cannot be known,
 * such as when a variable names the command. Only syntax that is listed here is understood.
 */
export function shellParts(text: string, parse: ParseShell): readonly CommandPart[] | null {
  const parts: CommandPart[] = [];
  const isRead = readLine(text, parse, parts, 0);
  return isRead && parts.length > 0 && parts.length <= MOST_PARTS ? parts : null;
}

/** True if all of it was understood. */
function readLine(source: string, parse: ParseShell, parts: CommandPart[], depth: number): boolean {
  const root = depth > DEEPEST || STRANGE.test(source) ? null : parse(source);
  if (root === null || !BLANK_LINES.test(source.slice(0, root.start))) return false;
  return createReader({
    source,
    add: (type, words) => void parts.push({ type, words }),
    readInner: (line) => readLine(line, parse, parts, depth + 1),
  })(root);
}

const containers = new Set([
  'program',
  'list',
  'pipeline',
  'subshell',
  'compound_statement',
  'negated_command',
  'if_statement',
  'elif_clause',
  'else_clause',
  'while_statement',
  'do_group',
  'redirected_statement',
  'for_statement',
  'command_substitution',
  'process_substitution',
]);
const tokens = new Set(
  '; & && || | |& \n ! { } ( ) $( ` <( >( if then elif else fi while until do done for in'.split(
    ' ',
  ),
);

function createReader(reading: ShellReading): (node: SyntaxNode) => boolean {
  const { source, add } = reading;
  const textOf = ({ start, end }: Pick<SyntaxNode, 'start' | 'end'>): string =>
    source.slice(start, end);

  function visit(node: SyntaxNode): boolean {
    const { type, children } = node;
    if (type === 'command') return readCommand(node);
    if (type === 'variable_assignment') return readAssignment(node);
    if (type.endsWith('_redirect')) return readRedirection(node);
    if (type === 'test_command') return readTest(textOf(node));
    if (!containers.has(type)) return readWord(node) !== null;
    if (type === 'redirected_statement' && !hasOnlyData(children)) return false;
    const isName = type === 'for_statement' ? 'variable_name' : null;
    return (
      areApart(node, BLANK_LINES) &&
      children.every((child) => tokens.has(child.type) || child.type === isName || visit(child))
    );
  }

  /** Whether only this lies between the children: the grammar may have skipped something. */
  function areApart({ start, end, children }: SyntaxNode, gap: RegExp): boolean {
    const ends = [start, ...children.map((child) => child.end)];
    const starts = [...children.map((child) => child.start), end];
    return starts.every((to, at) => gap.test(source.slice(ends[at], to)));
  }

  /** A here-document is data for `cat`, and may be a program for anything else. */
  function hasOnlyData(children: readonly SyntaxNode[]): boolean {
    const [body] = children;
    const isCat = body !== undefined && textOf(body) === 'cat';
    return isCat || children.every(({ type }) => type !== 'heredoc_redirect');
  }

  function readRedirection(node: SyntaxNode): boolean {
    const whole = textOf(node);
    if (node.type === 'heredoc_redirect') {
      add('redirection', ['<<']);
      const isQuoted = /^<<-?\s*['"]/.test(whole);
      return node.children.every((child) => {
        if (/^(?:<<-?|heredoc_(?:start|end))$/.test(child.type) || tokens.has(child.type))
          return true;
        if (child.type !== 'heredoc_body') return visit(child);
        return isQuoted || (!/[`\\]/.test(textOf(child)) && areValues(child));
      });
    }
    // Another descriptor, or nothing.
    if (/^\d*[<>]&(?:\d+|-)$|^(?:\d*|&)>>?\s*\/dev\/null$/.test(whole)) return true;
    const [operator, target, ...more] = node.children.filter(
      ({ type }) => type !== 'file_descriptor',
    );
    if (operator === undefined || target === undefined || more.length > 0) return false;
    const word = areApart(node, BLANKS) ? readWord(target) : null;
    if (word === null || !/^(?:[<>]|>>|>\||&>>?|<<<|<>)$/.test(operator.type)) return false;
    add('redirection', [operator.type, word.text]);
    return true;
  }

  function readAssignment({ children }: SyntaxNode): boolean {
    const [name, equals, value, ...more] = children;
    if (name?.type !== 'variable_name' || equals?.type !== '=' || more.length > 0) return false;
    const word = value === undefined ? quotedWord('') : readWord(value);
    if (word !== null) add('assignment', [`${textOf(name)}=${word.text}`]);
    return word !== null;
  }

  /** `[ -f x ]`: of what it evaluates, only arithmetic can run something. */
  function readTest(text: string): boolean {
    if (/[`\\\n]|\$[({]|[<>]\(|\(\(|-(?:v|eq|ne|lt|le|gt|ge)\b/.test(text)) return false;
    add('command', [text]);
    return true;
  }

  function readCommand(node: SyntaxNode): boolean {
    if (!areApart(node, BLANKS)) return false;
    const words: ShellWord[] = [];
    for (const child of node.children) {
      if (child.type === 'variable_assignment' || child.type.endsWith('_redirect')) {
        if (child.type === 'heredoc_redirect' || !visit(child)) return false;
        continue;
      }
      const named = child.type === 'command_name' ? child.children : [child];
      const [only] = named;
      const word = only === undefined || named.length > 1 ? null : readWord(only);
      if (word === null) return false;
      words.push(word);
    }
    return readShellWords(words, reading);
  }

  /** A word; null if it is not understood. Commands in it are read. */
  function readWord(node: SyntaxNode): ShellWord | null {
    const text = textOf(node);
    const asItIs = { text, value: null };
    if (text === '{}') return asItIs;
    switch (node.type) {
      case 'word':
      case 'number':
        if (/^[^\s;&|<>()`$"'\\*?[\]{}~!#^]+$/.test(text)) return quotedWord(text);
        if (/^\\[^\n]$/.test(text)) return quotedWord(text.slice(1));
        // With patterns, braces or a tilde.
        return /[\s;&|<>()`$"'\\]/.test(text.replaceAll(/\\[^\n]/g, '')) ? null : asItIs;
      case 'raw_string':
        return quotedWord(text.slice(1, -1));
      case 'ansi_c_string':
        return asItIs;
      case 'string':
        if (!/[`\\$]/.test(text)) return quotedWord(text.slice(1, -1));
        return areValues(node) ? asItIs : null;
      case 'concatenation': {
        const words = node.children.map(readWord);
        if (!areApart(node, NOTHING) || words.includes(null)) return null;
        const values = words.map((word) => word?.value ?? null);
        if (values.includes(null) || /[{}]/.test(text)) return asItIs;
        return quotedWord(values.join(''));
      }
      default:
        return isValue(node) ? asItIs : null;
    }
  }

  /** Whether a text has only values in it, and commands that were read. */
  function areValues(node: SyntaxNode): boolean {
    return areApart(node, NO_VALUE) && node.children.every(isValue);
  }

  function isValue(node: SyntaxNode): boolean {
    const text = textOf(node);
    if (node.type === '"' || node.type.endsWith('_content')) return NO_VALUE.test(text);
    if (node.type === 'simple_expansion') return /^\$(?:[A-Za-z_]\w*|[\d?#@*!$-])$/.test(text);
    // Others may evaluate the value of a variable.
    if (node.type === 'expansion') return /^\$\{[A-Za-z_]\w*\}$/.test(text);
    const isCommand = /^(?:command|process)_substitution$/.test(node.type);
    return isCommand && !(text.startsWith('`') && text.includes('\\')) && visit(node);
  }

  return visit;
}

const NOTHING = /^$/;
const BLANKS = /^(?:[ \t]|\\\n)*$/;
const BLANK_LINES = /^(?:[ \t\n]|\\\n)*$/;
const NO_VALUE = /^(?:[^`$]|\$(?![\w({]))*$/;
