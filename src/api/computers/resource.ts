import type { Caller } from '../caller.ts';
import type { CallOptions } from '../client-options.ts';
import type { BadItem } from '../parse-response.ts';
import type { ParametersOf } from '../routes.ts';
import { routes } from '../routes.ts';
import type { Computer } from './computer.ts';
import type { InstallDepsResult } from './install-deps.ts';
import { installDeps } from './install-deps.ts';

export interface ComputerListing {
  readonly computers: readonly Computer[];
  /** Items that did not fit, set aside. */
  readonly badItems: readonly BadItem[];
}

/** Computers. The service can neither create nor delete them. */
export interface Computers {
  /** All of them in one request; the service knows no pages here. */
  readonly list: (options?: CallOptions) => Promise<ComputerListing>;
  readonly get: (
    parameters: ParametersOf<'computers.get'>,
    options?: CallOptions,
  ) => Promise<Computer>;
  readonly byName: (
    parameters: ParametersOf<'computers.byName'>,
    options?: CallOptions,
  ) => Promise<Computer>;
  readonly update: (
    parameters: ParametersOf<'computers.update'>,
    options?: CallOptions,
  ) => Promise<Computer>;
  readonly installDeps: (
    parameters: ParametersOf<'computers.installDeps'>,
    options?: CallOptions,
  ) => Promise<InstallDepsResult>;
}

export function createComputers(caller: Caller): Computers {
  return {
    list: async (options) => {
      const route = routes['computers.list'];
      const { value, badItems } = await caller.call(route, route.response, {}, options);
      return { computers: value.computers, badItems };
    },
    get: async (parameters, options) => {
      const route = routes['computers.get'];
      return (await caller.call(route, route.response, parameters, options)).value;
    },
    byName: async (parameters, options) => {
      const route = routes['computers.byName'];
      return (await caller.call(route, route.response, parameters, options)).value;
    },
    update: async (parameters, options) => {
      const route = routes['computers.update'];
      return (await caller.call(route, route.response, parameters, options)).value;
    },
    installDeps: (parameters, options = {}) => installDeps(caller, parameters, options),
  };
}
