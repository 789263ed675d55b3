import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Writable } from 'node:stream';

/**
 * Reads a secret from standard input, or from a terminal without echo.
 *
 * @param prompt printed on standard error, only at a terminal
 */
export async function readSecretLine(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).split(/\r?\n/)[0]?.trim() ?? '';
  process.stderr.write(prompt);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const typed = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return (await typed.question('')).trim();
  } finally {
    typed.close();
    process.stderr.write('\n');
  }
}
