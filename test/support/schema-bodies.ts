import * as fc from 'fast-check';
import { z } from 'zod';

import { hostileTexts } from './hostile-texts.ts';

/** SQL and control bytes, for which a text may not be more than a text. */
const attacks: readonly string[] = [
  ...hostileTexts,
  "'; DROP TABLE people; --",
  "') OR 1=1 --",
  "\\'; DELETE FROM events; --",
  '"; SELECT pg_sleep(60); --',
  '$$; DROP TABLE audit; $$',
  "' UNION SELECT key FROM machines --",
  '$1 ?1 ? :name %s',
  '{"a": "\'"}',
  "'::jsonb",
  '\u0000',
  '\u0001\u0008\u001f\u007f',
  "x\u0000'; --",
  '%_\\',
  'a\'b"c`d\\e',
];

/** The part of a JSON schema that bodies are made from. */
const Node = z.looseObject({
  type: z.string().default(''),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  pattern: z.string().optional(),
  format: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
});

/**
 * Bodies of the shape that a schema describes, with such texts wherever it has a text. Some fit the schema, and others do
 * not, because a text there must look otherwise.
 */
export function bodiesOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  return arbitraryOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

function arbitraryOf(described: unknown): fc.Arbitrary<unknown> {
  const node = Node.parse(described);
  if (node.const !== undefined) return fc.constant(node.const);
  const choices = node.anyOf ?? node.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(arbitraryOf));
  const attack = fc.constantFrom(...attacks);
  if (node.enum !== undefined) {
    return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...node.enum) }, attack);
  }
  switch (node.type) {
    case 'object':
      return objects(node);
    case 'array':
      return fc.array(arbitraryOf(node.items ?? {}), { maxLength: 3 });
    case 'string':
      return texts(node, attack);
    case 'integer':
    case 'number':
      return fc.integer({
        min: Math.max(node.minimum ?? 0, 0),
        max: Math.min(node.maximum ?? 2 ** 31, 2 ** 41),
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return attack;
  }
}

function objects({
  properties = {},
  required = [],
  additionalProperties,
}: z.output<typeof Node>): fc.Arbitrary<unknown> {
  const known = fc.record(
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, arbitraryOf(schema)]),
    ),
    { requiredKeys: required },
  );
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  if (!isOpen) return known;
  const names = fc.constantFrom('title', 'cwd', ...attacks);
  const others = fc.dictionary(names, arbitraryOf(additionalProperties), { maxKeys: 3 });
  return fc.tuple(known, others).map(([own, more]) => ({ ...more, ...own }));
}

/** Mostly as the schema wants them, so that other texts of the same body get further. */
function texts(
  { pattern, format, minLength = 0, maxLength = 500 }: z.output<typeof Node>,
  attack: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const cut = attack.map((text) => text.padEnd(minLength, "'").slice(0, maxLength));
  if (format === 'base64') {
    const encoded = cut.map((text) => Buffer.from(text).toString('base64'));
    return fc.oneof({ weight: 9, arbitrary: encoded }, attack);
  }
  if (pattern === undefined) return cut;
  return fc.oneof({ weight: 9, arbitrary: fc.stringMatching(new RegExp(pattern)) }, attack);
}
