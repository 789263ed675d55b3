import { readFile } from 'node:fs/promises';

export type JsonObject = Record<string, unknown>;

/** True for a JSON object: not null, an array or a plain value. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined if it is missing or not valid, which no JSON value is. */
export function parseJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** The object in a JSON text; null for anything else. */
export function parseJsonObject(text: string): JsonObject | null {
  const value = parseJson(text);
  return isJsonObject(value) ? value : null;
}

/** The value in a JSON file; undefined if the file cannot be read or is not valid. */
export async function readJsonFile(path: string): Promise<unknown> {
  return parseJson(await readFile(path, 'utf8').catch(() => null));
}
