import type { Middleware } from '../../api/index.ts';
import { isJsonObject } from '../../core/json-object.ts';
import { displayLine } from '../../core/sanitize.ts';

/** Tell who somebody is; `authorization` is added behind the middleware and never seen here. */
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'set-cookie']);

/** Tells of each request and its answer; of a body only which fields it has and how large they are. */
export function requestLog(tell: (line: string) => void, now = Date.now): Middleware {
  return async (url, init, next) => {
    tell(`> ${init.method} ${displayLine(url)}`);
    for (const line of headerLines(init.headers)) tell(`> ${line}`);
    if (init.body !== undefined) tell(`> body: ${bodyShape(init.body)}`);
    const startedAt = now();
    const response = await next(url, init);
    tell(`< ${response.status} after ${now() - startedAt} ms`);
    for (const line of headerLines(response.headers)) tell(`< ${line}`);
    return response;
  };
}

/** The headers as "name: value", without those that are nobody's business. */
export function headerLines(headers: Headers): readonly string[] {
  return [...headers]
    .filter(([name]) => !PRIVATE_HEADERS.has(name))
    .map(([name, value]) => `${name}: ${displayLine(value)}`);
}

function bodyShape(body: string): string {
  const value: unknown = JSON.parse(body);
  if (!isJsonObject(value)) return `${body.length} characters`;
  return Object.entries(value)
    .map(([name, field]) => `${name} (${JSON.stringify(field).length} characters)`)
    .join(', ');
}
