import type { z } from 'zod';

import { isJsonObject, type JsonObject } from '../../platform/json.ts';
import { namesInPath } from './address.ts';
import { type ApiErrorFacts, ApiUsageError } from './api-errors.ts';
import type { SecretPlace } from './hide-secrets.ts';
import { jsonPathOf } from './parse-response.ts';

/** Decides address and credential: readiness lives at `app_url`, and only `v0` takes a JWT. */
export type RouteFamily = 'analytics' | 'readiness' | 'v0';

/** How the next page is requested: `meta.next_cursor`, `pagination.nextCursor`, or the last id received. */
export type PageStyle = 'meta' | 'cursor' | 'after';

/** One operation of the service: all else about it is derived from this, from types and commands to the documentation. */
export interface ServiceRoute {
  readonly id: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly path: string;
  readonly family: RouteFamily;
  /** Parameters named in the path go there; the rest are the query of a GET, else the body. */
  readonly parameters: z.ZodObject;
  readonly response: z.ZodObject;
  /** Documented success status; another 2xx with a valid body passes too. */
  readonly status: 200 | 202;
  readonly lists: readonly string[];
  readonly pages: PageStyle | null;
  readonly retry: RetryClass;
  readonly secrets: SecretPlace;
  /** How commands show the response. */
  readonly view: View;
  /** The response with `group_by`; null for routes without it. */
  readonly grouped: { readonly response: z.ZodObject; readonly view: View } | null;
  /** A command below `hookbell service` that makes this call alone; null: a separate one. */
  readonly command: { readonly words: string; readonly description: string } | null;
}

/**
 * How a value is shown.
 *
 * - `text`: anything else; lists are joined
 * - `number`: right-aligned
 * - `time`: Unix ms, or a date and time as text; shown in UTC
 * - `epoch`: a time whose unit the interface does not show
 * - `lines`: a multi-line text; for cards
 */
export type ColumnKind = 'text' | 'number' | 'time' | 'epoch' | 'lines';

/** One column of a table, one field of a CSV file, one line of a card. */
export interface Column {
  /** In lower case; table headers are derived from it. */
  readonly name: string;
  /** Path of the field such as "sessionSettings.model", or a function that computes the value. */
  readonly from: string | ((item: JsonObject) => unknown);
  readonly kind?: ColumnKind;
  /** Its sum over all rows is meaningful. */
  readonly summed?: true;
  /** Shown in CSV only. */
  readonly csvOnly?: true;
}

/** A list is shown as a table, a single item as a card. */
export interface View {
  readonly columns: readonly Column[];
  /** Shown instead of an empty table. */
  readonly empty?: string;
  /** Sorts rows, or computes values over several of them; `--json` keeps the response of the service. */
  readonly arrange?: (items: readonly JsonObject[]) => readonly JsonObject[];
}

export function valueIn(item: JsonObject, { from }: Pick<Column, 'from'>): unknown {
  if (typeof from === 'function') return from(item);
  return from
    .split('.')
    .reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), item);
}

export function numberText(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

const defaults = {
  method: 'GET',
  status: 200,
  lists: [],
  pages: null,
  retry: 'read',
  secrets: 'none',
  grouped: null,
  command: null,
} as const;

type Needed = 'summary' | 'path' | 'parameters' | 'response' | 'view';
type Given<Common> = Pick<ServiceRoute, Exclude<Needed, keyof Common>> & Partial<ServiceRoute>;
type Over<Base, Fields> = Omit<Base, keyof Fields> & Fields;

type Declared<Common, Table> = {
  readonly [Id in keyof Table & string]: Over<Over<typeof defaults, Common>, Table[Id]> & {
    readonly id: Id;
  };
};

/** Declares the routes of a family: what an entry leaves out is as in `common`, or as in most routes. */
export function defineRoutes<
  const Common extends Pick<ServiceRoute, 'family'> & Partial<ServiceRoute>,
  const Table extends Readonly<Record<string, Given<Common>>>,
>(common: Common, table: Table): Declared<Common, Table>;
export function defineRoutes(common: object, table: Readonly<Record<string, object>>): object {
  return Object.fromEntries(
    Object.entries(table).map(([id, given]) => [id, { ...defaults, ...common, ...given, id }]),
  );
}

export function placeParameters(
  route: Pick<ServiceRoute, 'method' | 'path'>,
  parameters: Readonly<Record<string, unknown>>,
): { query: Record<string, string>; body: Record<string, unknown> | undefined } {
  const inPath = new Set(namesInPath(route.path));
  const rest = Object.entries(parameters).filter(
    ([name, value]) => !inPath.has(name) && value !== undefined,
  );
  const isQuery = route.method === 'GET';
  return {
    query: isQuery ? Object.fromEntries(rest.map(([name, value]) => [name, String(value)])) : {},
    body: isQuery || rest.length === 0 ? undefined : Object.fromEntries(rest),
  };
}

/** Finds the route of a typed method and path, if the table has it. */
export function matchRoute(
  table: readonly ServiceRoute[],
  method: string,
  path: string,
): ServiceRoute | undefined {
  const segments = path.split('/');
  return table.find((route) => {
    const wanted = route.path.split('/');
    return (
      route.method === method.toUpperCase() &&
      wanted.length === segments.length &&
      wanted.every((part, index) => part.startsWith('{') || part === segments[index])
    );
  });
}

/** Checks the parameters of a call. @throws UsageError when one is invalid */
export function checkParameters<Schema extends z.ZodType>(
  route: Pick<ServiceRoute, 'id' | 'method' | 'path'> & { readonly parameters: Schema },
  parameters: unknown,
): z.output<Schema> {
  const parsed = route.parameters.safeParse(parameters);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = jsonPathOf(issue?.path ?? []).replace(/^\$\.?/, '');
  const problem = issue?.message ?? 'it does not fit';
  const reason = where === '' ? problem : `${where}: ${problem}`;
  throw new ApiUsageError(reason, { ...factsOf(route), attempts: 0 });
}

/** The identity of a route for errors, with its path as far as known. */
export function factsOf(
  { id, method, path }: Pick<ServiceRoute, 'id' | 'method' | 'path'>,
  filled: string = path,
): Pick<ApiErrorFacts, 'route' | 'method' | 'path'> {
  return { route: id, method, path: filled };
}

/**
 * How a failed request may be retried.
 *
 * - `read`, `idempotent-write`: repeating is harmless
 * - `check-then-retry`: check whether it took effect before repeating
 * - `never-after-send`: never repeat what the service may have received
 */
export type RetryClass = 'read' | 'idempotent-write' | 'check-then-retry' | 'never-after-send';

/**
 * How a request failed.
 *
 * - `rate-limited`: 429
 * - `never-sent`: refused, unknown host, connection timeout
 * - `ambiguous`: 5xx, or sent without a complete response
 * - `final`: repeating cannot help
 */
export type Failure = 'rate-limited' | 'never-sent' | 'ambiguous' | 'final';

/** Whether the client may repeat the request; resources resolve ambiguous writes. */
export function mayRepeat(retry: RetryClass, failure: Failure): boolean {
  if (failure === 'final') return false;
  if (failure === 'rate-limited' || failure === 'never-sent') return true;
  return retry === 'read' || retry === 'idempotent-write';
}
