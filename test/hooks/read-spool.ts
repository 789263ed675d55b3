import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One file of the spool, taken apart by the format alone and not by the code under test. */
export interface SpooledFile {
  readonly name: string;
  readonly text: string;
  /** The `key=value` lines of the header. */
  readonly facts: Readonly<Record<string, string>>;
  readonly payload: Buffer;
  /** Whether the last line is there. */
  readonly isWhole: boolean;
}

/** Files that hooks are still writing are among them. */
export function readSpool(state: string): readonly SpooledFile[] {
  const spool = join(state, 'spool');
  if (!existsSync(spool)) return [];
  return readdirSync(spool).map((name) => takeApart(name, readFileSync(join(spool, name))));
}

export function onlyFile(state: string): SpooledFile {
  const files = readSpool(state);
  const [file] = files;
  if (file === undefined || files.length !== 1) {
    throw new Error(`Expected one file in the spool, found ${files.length}`);
  }
  return file;
}

function takeApart(name: string, bytes: Buffer): SpooledFile {
  const isBegun = bytes.includes('\n\n');
  if (!isBegun) {
    const text = bytes.toString('latin1');
    return { name, text, facts: {}, payload: Buffer.alloc(0), isWhole: false };
  }
  const [version, ...lines] = bytes.subarray(0, bytes.indexOf('\n\n')).toString().split('\n');
  if (version !== 'hookbell 1') throw new Error(`First line is "${version}"`);
  const facts = Object.fromEntries(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf('=')),
      line.slice(line.indexOf('=') + 1),
    ]),
  );
  const lastLine = Buffer.from(`\nhookbell-end ${name}\n`);
  const isWhole = bytes.subarray(-lastLine.length).equals(lastLine);
  return {
    name,
    text: bytes.toString('latin1'),
    facts,
    payload: bytes.subarray(
      bytes.indexOf('\n\n') + 2,
      isWhole ? bytes.length - lastLine.length : bytes.length,
    ),
    isWhole,
  };
}
