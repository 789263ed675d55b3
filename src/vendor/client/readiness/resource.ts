import type { Caller } from '../caller.ts';
import { createPaged, type Paged, type PagedOptions, pageGuard, walkAfter } from '../pagination.ts';
import { type ParametersOf, routes } from '../routes.ts';
import { checkParameters } from '../schema-parts.ts';
import type { Report } from './report.ts';

/** Readiness reports of repositories. */
export interface Readiness {
  /** In no guaranteed order. @throws UsageError when a parameter is invalid */
  readonly list: (
    parameters?: ParametersOf<'readiness.list'>,
    options?: PagedOptions,
  ) => Paged<Report>;
}

export function createReadiness(caller: Caller): Readiness {
  return {
    list: (unchecked = {}, options = {}) => {
      const route = routes['readiness.list'];
      const parameters = checkParameters(route, unchecked);
      return createPaged(() =>
        walkAfter(
          parameters.startAfter,
          async (startAfter) => {
            const query = { ...parameters, startAfter };
            const { value, badItems, raw } = await caller.call(
              route,
              route.response,
              query,
              options,
            );
            return { items: value.reports, badItems, raw };
          },
          ({ reportId }) => reportId,
          pageGuard(route, options),
        ),
      );
    },
  };
}
