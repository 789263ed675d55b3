import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { escapeHtml } from '../core/escape-html.ts';

const NAME = /^reply-[0-9a-f-]{36}\.html$/;

export function removePageFile(path: string): void {
  rmSync(path, { force: true });
}

/**
 * Writes a file (0600) that leads a browser to an address which other users must not see: what is on a command line, they can read.
 * Answers its path.
 *
 * @throws when the directory takes no file
 */
export function writePageFile(directory: string, url: string): string {
  const path = join(directory, `reply-${randomUUID()}.html`);
  const address = escapeHtml(url);
  const page =
    '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">' +
    `<meta http-equiv="refresh" content="0; url=${address}"><title>hookbell</title>` +
    `<a href="${address}">Answer the agent</a>\n`;
  writeFileSync(path, page, { mode: 0o600, flag: 'wx' });
  return path;
}

/** Removes all of them, also those of a daemon that was killed. */
export function removePageFiles(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (NAME.test(name)) removePageFile(join(directory, name));
  }
}
