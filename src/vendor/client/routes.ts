import { z } from 'zod';
import { analyticsRoutes } from './analytics/analytics-routes.ts';
import { pathOf } from './request-caller.ts';
import { computerRoutes, Computer } from './computers.ts';
import { controlHistoryRoutes, ControlChange, ControlSettings } from './controls.ts';
import { messageRoutes, Message } from './messages.ts';
import { organizationRoutes, OrganizationUser } from './organization.ts';
import { readinessRoutes, ReadinessReport } from './readiness.ts';
import { checkParameters, placeParameters, type ServiceRoute } from './define-routes.ts';
import {
  sessionRoutes,
  ApiSession,
  SessionListItem,
  SessionSettings,
  TokenUsage,
} from './sessions.ts';
import { limitRoutes } from './set-limits.ts';
import { namesInPath } from './address.ts';
import { Pagination } from './schema-parts.ts';

/** All operations of the service. */
export const routes = {
  ...analyticsRoutes,
  ...readinessRoutes,
  ...sessionRoutes,
  ...messageRoutes,
  ...computerRoutes,
  ...organizationRoutes,
  ...controlHistoryRoutes,
  ...limitRoutes,
};

export type RouteId = keyof typeof routes;

/** A route of the table. */
export type AnyRoute = (typeof routes)[RouteId];

/** The parameters of a typed call. */
export type ParametersOf<Id extends RouteId> = z.input<(typeof routes)[Id]['parameters']>;

/** A request without address and credential. */
export interface PlannedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body: unknown;
}

/** The first request of a typed call, checked and not sent. @throws UsageError when a parameter is invalid */
export function planRequest(
  id: RouteId,
  unchecked: unknown,
  { readinessPath }: { readonly readinessPath?: string | undefined } = {},
): PlannedRequest {
  const route: ServiceRoute = routes[id];
  const parameters = checkParameters(route, unchecked);
  const template = id === 'readiness.list' ? (readinessPath ?? route.path) : route.path;
  return {
    method: route.method,
    path: pathOf(template, route, parameters),
    ...placeParameters(route, parameters),
  };
}

type JsonSchema = Readonly<Record<string, unknown>>;

const DESCRIPTION = [
  "How hookbell reads the service's HTTP interface: generated from hookbell's own route table, not published by the",
  'vendor and not endorsed by it. Requests are described as strictly as hookbell checks them; answers loosely, since',
  'the service may add fields and values.',
].join(' ');

/** All routes as an OpenAPI 3.1 document: hookbell's reading of the interface. @param version of hookbell */
export function openApiDocument(version: string): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of Object.values<ServiceRoute>(routes)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: "hookbell's reading of the service's interface",
      version,
      description: DESCRIPTION,
    },
    servers: [serverOf('base_url', 'https://api.example.com')],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key; below /api/v0 also an access token (JWT).',
        },
      },
      schemas: componentSchemas(),
    },
  };
}

function operationOf(route: ServiceRoute): JsonSchema {
  return {
    operationId: route.id,
    summary: route.summary,
    tags: [route.id.split('.')[0]],
    ...(route.family === 'readiness' && {
      servers: [serverOf('app_url', 'https://app.example.com')],
    }),
    ...requestOf(route),
    responses: {
      [route.status]: {
        description: 'Success',
        content: { 'application/json': { schema: answerOf(route) } },
      },
      default: {
        description: 'Failure; analytics send this body, the others any or none',
        content: { 'application/json': { schema: refTo('Problem') } },
      },
    },
  };
}

function requestOf({ method, path, parameters }: ServiceRoute): JsonSchema {
  const { properties = {}, required = [] } = z.toJSONSchema(parameters, { io: 'input' });
  const inPath = new Set(namesInPath(path));
  const isQuery = method === 'GET';
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: typeof schema === 'object' ? schema : {},
    isRequired: required.includes(name),
  }));
  const outside = fields.filter(({ name }) => isQuery || inPath.has(name));
  const body = fields.filter((field) => !outside.includes(field));
  return {
    parameters: outside.map(({ name, schema: { description, ...schema }, isRequired }) => ({
      name,
      in: inPath.has(name) ? 'path' : 'query',
      required: isRequired,
      description,
      schema,
    })),
    ...(body.length > 0 && {
      requestBody: { required: true, content: { 'application/json': { schema: bodyOf(body) } } },
    }),
  };
}

function bodyOf(
  fields: readonly { name: string; schema: JsonSchema; isRequired: boolean }[],
): JsonSchema {
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function serverOf(name: string, example: string): JsonSchema {
  return {
    url: `{${name}}`,
    variables: { [name]: { default: example, description: 'hookbell has no address built in' } },
  };
}

/** Schemas with a name. */
const named = {
  Computer,
  ControlChange,
  ControlSettings,
  Message,
  OrganizationUser,
  Pagination,
  ReadinessReport,
  Session: ApiSession,
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

function refTo(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

function answerOf({ id, response, grouped }: ServiceRoute): JsonSchema {
  const answer = refTo(nameOf(id, response));
  return grouped === null ? answer : { anyOf: [answer, refTo(`${id}.grouped`)] };
}

function nameOf(id: string, response: z.ZodType): string {
  const component = Object.entries(named).find(([, schema]) => schema === response);
  return component?.[0] ?? `${id}.answer`;
}

function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  for (const { id, response, grouped } of Object.values<ServiceRoute>(routes)) {
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
  // Within one document, the schemas need no `$schema` or `$id`.
  const parts = Object.entries(schemas).map(([name, schema]) => [
    name,
    Object.fromEntries(Object.entries(schema).filter(([key]) => !/^\$(?:schema|id)$/.test(key))),
  ]);
  return { ...Object.fromEntries(parts), Problem: problem };
}
