export type JsonObject = Record<string, unknown>;

/** True for a JSON object: not null, no array, no plain value. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
