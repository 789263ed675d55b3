import type { Caller } from '../caller.ts';
import {
  createPaged,
  type Paged,
  type PagedOptions,
  pageGuard,
  walkPagination,
} from '../pagination.ts';
import { type ParametersOf, routes } from '../routes.ts';
import { checkParameters } from '../schema-parts.ts';
import type { ControlChange } from './controls.ts';
import {
  createDirectory,
  type Directory,
  type LimitEntry,
  type OrganizationUser,
} from './directory.ts';
import { setLimits, type SetLimitsOptions, type SetLimitsReport } from './set-limits.ts';

/** Users, control settings and credit limits of the organization. */
export interface Organization {
  /** @throws UsageError when a parameter is invalid */
  readonly users: (
    parameters?: ParametersOf<'org.users'>,
    options?: PagedOptions,
  ) => Paged<OrganizationUser>;
  /** All users, cached for an hour. */
  readonly directory: Directory;
  /** By revision, descending. @throws UsageError when a parameter is invalid */
  readonly history: (
    parameters?: ParametersOf<'org.history'>,
    options?: PagedOptions,
  ) => Paged<ControlChange>;
  readonly setLimits: (
    entries: readonly LimitEntry[],
    options?: SetLimitsOptions,
  ) => Promise<SetLimitsReport>;
}

export function createOrganization(
  caller: Caller,
  { now }: { readonly now: () => number },
): Organization {
  const users: Organization['users'] = (unchecked = {}, options = {}) => {
    const route = routes['org.users'];
    const parameters = checkParameters(route, unchecked);
    return createPaged(() =>
      walkPagination(
        parameters.cursor,
        (cursor) => caller.call(route, route.response, { ...parameters, cursor }, options),
        (answer) => answer.users,
        pageGuard(route, options),
      ),
    );
  };

  return {
    users,
    directory: createDirectory(() => users({ limit: 100 }), now),
    history: (unchecked = {}, options = {}) => {
      const route = routes['org.history'];
      const parameters = checkParameters(route, unchecked);
      return createPaged(() =>
        walkPagination(
          parameters.cursor,
          (cursor) => caller.call(route, route.response, { ...parameters, cursor }, options),
          ({ changes }) => changes,
          pageGuard(route, options),
        ),
      );
    },
    setLimits: (entries, options = {}) => setLimits(caller, entries, options),
  };
}
