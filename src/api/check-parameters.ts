import type { z } from 'zod';
import type { ApiErrorFacts } from './errors.ts';
import { UsageError } from './errors.ts';
import { jsonPathOf } from './parse-response.ts';
import type { Route } from './route.ts';

/** Checks the parameters of a call. @throws UsageError when one cannot be right */
export function checkParameters<Schema extends z.ZodType>(
  route: Route & { readonly parameters: Schema },
  parameters: unknown,
): z.output<Schema> {
  const parsed = route.parameters.safeParse(parameters);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = jsonPathOf(issue?.path ?? []).replace(/^\$\.?/, '');
  const problem = issue?.message ?? 'it does not fit';
  const reason = where === '' ? problem : `${where}: ${problem}`;
  throw new UsageError(reason, { ...factsOf(route), attempts: 0 });
}

/** Who a route is, for errors; its path as far as it is known. */
export function factsOf(
  { id, method, path }: Pick<Route, 'id' | 'method' | 'path'>,
  filled: string = path,
): Pick<ApiErrorFacts, 'route' | 'method' | 'path'> {
  return { route: id, method, path: filled };
}
