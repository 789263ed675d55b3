import * as fc from 'fast-check';
import { z } from 'zod';

import { hostileTexts } from './hostile-texts.ts';

/** SQL and control bytes, for which a text may not be more than a text. */
export const attacks: readonly string[] = [
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
  type: z.union([z.string(), z.array(z.string())]).default(''),
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
 *
 * @param known texts that mean something where the body goes, such as names; most texts are one of them
 */
export function bodiesOf(schema: z.ZodType, known: readonly string[] = []): fc.Arbitrary<unknown> {
  return arbitraryOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), known);
}

/** Ways in which a part of a body may be wrong; undefined: it is missing. */
const wrongs: readonly ((part: unknown) => unknown)[] = [
  () => undefined,
  () => null,
  () => true,
  () => -1,
  () => 1e308,
  () => 0.5,
  () => '',
  () => '\ud800',
  () => '\u0000',
  () => "'; DROP TABLE people; --".repeat(5_000),
  () => [],
  () => ({}),
  (part) => [part],
  (part) => ({ part }),
  (part) => Array.from({ length: 500 }).reduce((inner) => [inner], part),
  (part) => (isObject(part) ? { ...part, "extra\u001b[31m'\u0000": part } : { extra: part }),
  (part) => (isObject(part) ? Object.values(part) : String(part)),
];

/** Such bodies, each with one part that is wrong in one way: missing, of another type, too long, or with something more. */
export function spoiledBodiesOf(
  schema: z.ZodType,
  known: readonly string[] = [],
): fc.Arbitrary<unknown> {
  return fc
    .tuple(bodiesOf(schema, known), fc.nat(), fc.constantFrom(...wrongs))
    .map(
      ([body, at, spoil]) => withPart(body, at % withPart(body, Infinity, spoil).parts, spoil).body,
    );
}

/** The body with its part of this number replaced, counted from the outside in, and the number of parts. */
function withPart(
  body: unknown,
  at: number,
  replace: (part: unknown) => unknown,
): { readonly body: unknown; readonly parts: number } {
  let parts = 0;
  function visit(part: unknown): unknown {
    const isIt = parts === at;
    parts += 1;
    if (isIt) return replace(part);
    if (Array.isArray(part)) return part.map(visit);
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, visit(value)]));
  }
  return { body: visit(body), parts };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function arbitraryOf(described: unknown, known: readonly string[]): fc.Arbitrary<unknown> {
  const node = Node.parse(described);
  if (node.const !== undefined) return fc.constant(node.const);
  const inner = (schema: unknown): fc.Arbitrary<unknown> => arbitraryOf(schema, known);
  const choices = node.anyOf ?? node.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(inner));
  const hostile = fc.constantFrom(...attacks);
  const attack =
    known.length === 0
      ? hostile
      : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, hostile);
  if (node.enum !== undefined) {
    return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...node.enum) }, attack);
  }
  if (Array.isArray(node.type)) {
    const { type: types, ...rest } = node;
    return fc.oneof(...types.map((type) => inner({ ...rest, type })));
  }
  switch (node.type) {
    case 'object':
      return objects(node, inner);
    case 'array':
      return fc.array(inner(node.items ?? {}), { maxLength: 3 });
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

function objects(
  { properties = {}, required = [], additionalProperties }: z.output<typeof Node>,
  inner: (schema: unknown) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, inner(schema)])),
    { requiredKeys: required },
  );
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  if (!isOpen) return known;
  const names = fc.constantFrom('title', 'cwd', ...attacks);
  const others = fc.dictionary(names, inner(additionalProperties), { maxKeys: 3 });
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
