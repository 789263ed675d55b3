import type { JsonObject } from '../core/json-object.ts';
import { isJsonObject } from '../core/json-object.ts';
import { redactText } from '../core/redact.ts';
import type { DocumentPath } from './problem.ts';
import { pathText } from './problem.ts';

/** A copy of a document with `***` in these places, and without anything else that looks like a secret. */
export function maskSecrets(document: JsonObject, places: readonly DocumentPath[]): JsonObject {
  return maskMapping(document, [], new Set(places.map(pathText)));
}

function maskMapping(
  mapping: JsonObject,
  path: DocumentPath,
  secrets: ReadonlySet<string>,
): JsonObject {
  return Object.fromEntries(
    Object.entries(mapping).map(([key, value]) => [key, maskValue(value, [...path, key], secrets)]),
  );
}

function maskValue(value: unknown, path: DocumentPath, secrets: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    return value.map((entry, index) => maskValue(entry, [...path, index], secrets));
  }
  if (isJsonObject(value)) return maskMapping(value, path, secrets);
  if (typeof value !== 'string') return value;
  return secrets.has(pathText(path)) ? '***' : redactText(value);
}
