import { readFile } from 'node:fs/promises';

import { programFile } from './program-files.ts';

/** A node of a command line's syntax, as the grammar of tree-sitter names it. */
export interface SyntaxNode {
  readonly type: string;
  /** Offsets in the text, UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Tokens, too, such as "&&". */
  readonly children: readonly SyntaxNode[];
}

/** The syntax of a command line of Bash; null if it is not one. */
export type ParseShell = (text: string) => SyntaxNode | null;

let loaded: Promise<ParseShell> | undefined;

/** Loads the parser, some 10 MB, when it is needed first. */
export function loadShellParser(): Promise<ParseShell> {
  return (loaded ??= load());
}

async function load(): Promise<ParseShell> {
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init({ wasmBinary: await readFile(programFile('syntaxParser')) });
  const parser = new Parser();
  parser.setLanguage(await Language.load(await readFile(programFile('shellGrammar'))));
  return (text) => {
    const tree = parser.parse(text);
    if (tree === null) return null;
    const cursor = tree.walk();
    const read = (): SyntaxNode => {
      const { nodeType: type, startIndex: start, endIndex: end } = cursor;
      const children: SyntaxNode[] = [];
      if (cursor.gotoFirstChild()) {
        do children.push(read());
        while (cursor.gotoNextSibling());
        cursor.gotoParent();
      }
      return { type, start, end, children };
    };
    const root = tree.rootNode.hasError ? null : read();
    cursor.delete();
    tree.delete();
    return root;
  };
}
