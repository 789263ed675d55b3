import type { JsonObject } from '../core/json-object.ts';
import { isJsonObject } from '../core/json-object.ts';
import type { ConfiguredChannel } from './channel-schema.ts';
import type { DocumentPath, Finding } from './problem.ts';

/** A shell would put the value of a variable in its place; a scheme such as "Bearer" may come before it. */
const unexpanded = /^(?:[A-Za-z]+ )?\$\{?([A-Za-z_]\w*)\}?$/;

/**
 * Finds values that are well-formed and cannot work: what a channel says of its own options, and variables of a shell where a
 * secret is expected. They are warnings, since the other channels work.
 *
 * @param secrets where a secret is written out
 */
export function checkValues(
  document: JsonObject,
  channels: readonly ConfiguredChannel[],
  secrets: readonly DocumentPath[],
): readonly Finding[] {
  return [
    ...channels.flatMap(({ name, definition, options }) =>
      (definition.doubts?.(options) ?? []).map(({ key, message }): Finding => ({
        path: ['channels', name, key],
        at: 'value',
        message,
      })),
    ),
    ...secrets.flatMap((path): Finding[] => {
      const [, variable] = unexpanded.exec(textAt(document, path)) ?? [];
      if (variable === undefined) return [];
      const message = `holds a variable, which is not expanded: write { env: ${variable} }, with the whole value in that variable`;
      return [{ path, at: 'value', message }];
    }),
  ];
}

function textAt(document: JsonObject, path: DocumentPath): string {
  let value: unknown = document;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  return typeof value === 'string' ? value : '';
}
