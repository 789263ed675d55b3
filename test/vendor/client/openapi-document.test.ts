import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { namesInPath, openApiDocument, routes } from '../../../src/vendor/client/index.ts';

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query']),
  required: z.boolean(),
  description: z.string(),
  schema: z.record(z.string(), z.unknown()),
});
const Content = z.object({ 'application/json': z.object({ schema: z.unknown() }) });
const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  parameters: z.array(Parameter),
  requestBody: z
    .object({
      content: z.object({
        'application/json': z.object({
          schema: z.object({ properties: z.record(z.string(), z.unknown()) }),
        }),
      }),
    })
    .optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: Content })),
  servers: z.array(z.object({ url: z.string() })).optional(),
});
const Document = z.object({
  openapi: z.literal('3.1.0'),
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});

describe('openApiDocument()', () => {
  const plain = openApiDocument('1.2.3');
  const document = Document.parse(plain);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

  test('has each route once, with its method, path, parameters and status (acceptance 227)', () => {
    const seen = operations.map(({ path, method, operation }) => {
      const body = operation.requestBody?.content['application/json'].schema.properties ?? {};
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        names: [...operation.parameters.map(({ name }) => name), ...Object.keys(body)].toSorted(),
        success: Object.keys(operation.responses)[0],
      };
    });

    assert.deepEqual(
      seen.toSorted((left, right) => left.id.localeCompare(right.id)),
      Object.values(routes)
        .map(({ id, method, path, parameters, status }) => ({
          id,
          method,
          path,
          names: Object.keys(parameters.shape).toSorted(),
          success: String(status),
        }))
        .toSorted((left, right) => left.id.localeCompare(right.id)),
    );
  });

  test('puts what the path names into the path, required, and nothing else', () => {
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
      assert.deepEqual(
        inPath.map(({ name }) => name).toSorted(),
        namesInPath(path).toSorted(),
        path,
      );
      assert.ok(inPath.every(({ required }) => required));
    }
  });

  test('has no reference that leads nowhere, and no part that nothing refers to', () => {
    const targets = new Set(
      [...JSON.stringify(plain).matchAll(/"\$ref":"([^"]*)"/g)].map(([, target]) => target ?? ''),
    );
    const names = Object.keys(document.components.schemas);

    for (const target of targets) {
      assert.ok(names.includes(target.replace('#/components/schemas/', '')), target);
    }
    const unused = names.filter((name) => !targets.has(`#/components/schemas/${name}`));
    assert.deepEqual(unused, []);
  });

  test('says that readiness lives at another address (acceptance 204)', () => {
    const elsewhere = operations.filter(({ operation }) => operation.servers !== undefined);

    assert.deepEqual(
      elsewhere.map(({ operation }) => [operation.operationId, operation.servers?.[0]?.url]),
      [['readiness.list', '{app_url}']],
    );
  });

  test('says whose reading it is, and of which version', () => {
    const { title, version, description } = document.info;

    assert.match(title, /^hookbell's reading/);
    assert.match(description, /not published by the vendor/);
    assert.equal(version, '1.2.3');
  });
});
