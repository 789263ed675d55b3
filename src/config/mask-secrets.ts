import { redactText } from '../core/redact.ts';
import { isMapping } from './is-mapping.ts';
import type { DocumentPath } from './problem.ts';
import { pathText } from './problem.ts';

type Mapping = Readonly<Record<string, unknown>>;

/** A copy of a document with `***` in these places, and without anything else that looks like a secret. */
export function maskSecrets(document: Mapping, places: readonly DocumentPath[]): Mapping {
  return maskMapping(document, [], new Set(places.map(pathText)));
}

function maskMapping(mapping: Mapping, path: DocumentPath, secrets: ReadonlySet<string>): Mapping {
  return Object.fromEntries(
    Object.entries(mapping).map(([key, value]) => [key, maskValue(value, [...path, key], secrets)]),
  );
}

function maskValue(value: unknown, path: DocumentPath, secrets: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    return value.map((entry, index) => maskValue(entry, [...path, index], secrets));
  }
  if (isMapping(value)) return maskMapping(value, path, secrets);
  if (typeof value !== 'string') return value;
  return secrets.has(pathText(path)) ? '***' : redactText(value);
}
