import { z } from 'zod';
import { Computer } from './computers.ts';
import { ControlChange, ControlSettings } from './controls.ts';
import { Message } from './messages.ts';
import { OrganizationUser } from './organization.ts';
import { Report } from './readiness.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import { Pagination } from './schema-parts.ts';
import { Session, SessionListItem, SessionSettings, TokenUsage } from './sessions.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Schemas used in several responses, or worth a name. */
const named = {
  Computer,
  ControlChange,
  ControlSettings,
  Message,
  OrganizationUser,
  Pagination,
  Report,
  Session,
  SessionListItem,
  SessionSettings,
  TokenUsage,
};

/** The body analytics errors have. */
const problem = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    detail: { type: 'string' },
    status: { type: 'number' },
    requestId: { type: 'string' },
  },
};

export function refTo(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** The response schema of a route; `grouped` is the one with `group_by`. */
export function answerOf({ id, response, grouped }: Route): JsonSchema {
  const answer = refTo(nameOf(id, response));
  return grouped === null ? answer : { anyOf: [answer, refTo(`${id}.grouped`)] };
}

function nameOf(id: string, response: z.ZodType): string {
  const known = Object.entries(named).find(([, schema]) => schema === response);
  return known?.[0] ?? `${id}.answer`;
}

/** The response schemas by name: those above, and one or two for each route. */
export function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  for (const { id, response, grouped } of Object.values<Route>(routes)) {
    if (!registry.has(response)) registry.add(response, { id: nameOf(id, response) });
    if (grouped !== null) registry.add(grouped.response, { id: `${id}.grouped` });
  }
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => refTo(id).$ref,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // Open enums, and secrets, which the client wraps: on the wire both are strings.
      if (zodSchema instanceof z.ZodCustom) jsonSchema.type = 'string';
      delete jsonSchema['incomplete'];
      // Properties may be added, removed or retyped between versions: this is only one reading of them.
      if (zodSchema === ControlChange.shape.settings) {
        jsonSchema.anyOf = [refTo('ControlSettings'), {}];
      }
    },
  });
  return { ...withoutIds(schemas), Problem: problem };
}

/** Within one document, the schemas need no `$schema` or `$id`. */
function withoutIds(schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      Object.fromEntries(Object.entries(schema).filter(([key]) => !/^\$(?:schema|id)$/.test(key))),
    ]),
  );
}
