export type JsonObject = Record<string, unknown>;

/** True for a JSON object: not null, no array, no plain value. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null where it is no JSON: no message of the relay is. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
