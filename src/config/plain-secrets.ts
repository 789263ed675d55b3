import { z } from 'zod';
import { isJsonObject } from '../core/json-object.ts';
import type { DocumentPath } from './problem.ts';

/** Where a value holds a secret itself although its schema would also take `{ env }`, `{ file }` or `{ command }`. */
export function plainSecretPaths(
  schema: unknown,
  value: unknown,
  path: DocumentPath,
): readonly DocumentPath[] {
  if (!(schema instanceof z.ZodType)) return [];
  if (typeof value === 'string' && schema.meta()?.['secret'] === true) return [path];
  if ('innerType' in schema.def) return plainSecretPaths(schema.def.innerType, value, path);
  if (!isJsonObject(value)) return [];
  const schemaOf = (key: string): unknown => {
    if (schema instanceof z.ZodObject) return schema.shape[key];
    return schema instanceof z.ZodRecord ? schema.valueType : null;
  };
  return Object.entries(value).flatMap(([key, entry]) =>
    plainSecretPaths(schemaOf(key), entry, [...path, key]),
  );
}
