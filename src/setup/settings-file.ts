import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { access, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';

import { errorCode } from '../core/error-code.ts';
import { isJsonObject } from '../core/json-object.ts';
import type { JsonObject } from '../core/json-object.ts';

/** A settings file of an agent, as it lies on the disk. */
export type SettingsText =
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable'; readonly reason: string }
  | { readonly state: 'ok'; readonly bytes: Buffer; readonly text: string };

export type ParsedSettings =
  | { readonly ok: true; readonly document: JsonObject; readonly style: JsonStyle }
  | { readonly ok: false; readonly reason: string };

/** How a JSON file is laid out, so that it is written back the same way. */
export interface JsonStyle {
  readonly indent: string;
  readonly lineEnd: string;
  readonly finalLineEnd: boolean;
}

export const defaultStyle: JsonStyle = { indent: '  ', lineEnd: '\n', finalLineEnd: true };

/** Reads a settings file. One that is no UTF-8 would not survive being written back: it is `unreadable`. */
export async function readSettingsText(path: string): Promise<SettingsText> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOENT'
      ? { state: 'missing' }
      : { state: 'unreadable', reason: `it cannot be read (${String(code)})` };
  }
  if (!isUtf8(bytes)) return { state: 'unreadable', reason: 'it is no UTF-8' };
  return { state: 'ok', bytes, text: bytes.toString('utf8') };
}

/** Anything but one JSON object is refused and must be left alone. */
export function parseSettings(text: string): ParsedSettings {
  // An empty file is what an editor or a failed program leaves; agents treat it as no settings.
  if (text.trim() === '') return { ok: true, document: {}, style: defaultStyle };
  try {
    const document: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    if (!isJsonObject(document)) return { ok: false, reason: 'it is no JSON object' };
    return { ok: true, document, style: styleOf(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `it is not valid JSON (${reason})` };
  }
}

function styleOf(text: string): JsonStyle {
  return {
    indent: /\n([ \t]+)\S/.exec(text)?.[1] ?? (text.includes('\n') ? '' : '  '),
    lineEnd: text.includes('\r\n') ? '\r\n' : '\n',
    finalLineEnd: /\n\s*$/.test(text),
  };
}

export function formatJson(document: unknown, style: JsonStyle): string {
  const text = JSON.stringify(document, null, style.indent);
  return `${text.replaceAll('\n', style.lineEnd)}${style.finalLineEnd ? style.lineEnd : ''}`;
}

/**
 * Replaces a file in one step: a crash leaves the old or the new one, never half of it. Keeps its mode, and writes
 * through a symbolic link to the file it names, as people link their settings into a repository.
 */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600 }: { readonly mode?: number } = {},
): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const before = await stat(target).catch(() => null);
  const temporary = `${target}.${process.pid}.new`;
  const file = await open(temporary, 'wx', before === null ? mode : before.mode & 0o777);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

export function fileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
