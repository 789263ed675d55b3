import { factsOf } from './check-parameters.ts';
import { PaginationError } from './errors.ts';
import type { PagedOptions, WalkGuard } from './pagination.ts';
import { MAX_PAGES } from './pagination.ts';
import type { Route } from './route.ts';

/** The guard of a walk over the pages of a route. */
export function pageGuard(route: Route, { maxPages = MAX_PAGES }: PagedOptions): WalkGuard {
  return {
    maxPages,
    fail: (reason) => new PaginationError(reason, { ...factsOf(route), attempts: 0 }),
  };
}
