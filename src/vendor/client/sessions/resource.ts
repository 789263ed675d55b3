import type { Caller } from '../caller.ts';
import type { CallOptions } from '../client-options.ts';
import {
  createPaged,
  type Paged,
  type PagedOptions,
  pageGuard,
  walkPagination,
} from '../pagination.ts';
import { type ParametersOf, routes } from '../routes.ts';
import { checkParameters } from '../schema-parts.ts';
import type { Sleep } from '../wait.ts';
import { addMessage, type AddMessageOptions, type AddMessageResult } from './add-message.ts';
import type { Message } from './message.ts';
import type { Session, SessionListItem, SessionTag } from './session.ts';
import { writableTags } from './parameters.ts';

/** Sessions and their messages. The service can neither create nor delete them, nor list messages. */
export interface Sessions {
  /** @throws UsageError when a parameter is invalid */
  readonly list: (
    parameters?: ParametersOf<'sessions.list'>,
    options?: PagedOptions,
  ) => Paged<SessionListItem>;
  readonly get: (
    parameters: ParametersOf<'sessions.get'>,
    options?: CallOptions,
  ) => Promise<Session>;
  /** Changes only the given settings. */
  readonly update: (
    parameters: ParametersOf<'sessions.update'>,
    options?: CallOptions,
  ) => Promise<Session>;
  /**
   * Gets the tags, changes them and sends them all back: whether the service would merge them is not documented,
   * so a concurrent change by someone else is lost.
   */
  readonly changeTags: (
    sessionId: string,
    change: (tags: readonly SessionTag[]) => readonly SessionTag[],
    options?: CallOptions,
  ) => Promise<Session>;
  readonly addMessage: (
    parameters: ParametersOf<'sessions.addMessage'>,
    options?: AddMessageOptions,
  ) => Promise<AddMessageResult>;
  readonly getMessage: (
    parameters: ParametersOf<'sessions.getMessage'>,
    options?: CallOptions,
  ) => Promise<Message>;
}

export function createSessions(
  caller: Caller,
  settings: { sleep: Sleep; graceMs: number; maxMessageBytes: number },
): Sessions {
  const get: Sessions['get'] = async (parameters, options) => {
    const route = routes['sessions.get'];
    return (await caller.call(route, route.response, parameters, options)).value;
  };

  const update: Sessions['update'] = async (parameters, options) => {
    const route = routes['sessions.update'];
    return (await caller.call(route, route.response, parameters, options)).value;
  };

  return {
    get,
    update,
    list: (unchecked = {}, options = {}) => {
      const route = routes['sessions.list'];
      const parameters = checkParameters(route, unchecked);
      return createPaged(() =>
        walkPagination(
          parameters.cursor,
          (cursor) => caller.call(route, route.response, { ...parameters, cursor }, options),
          ({ sessions }) => sessions,
          pageGuard(route, options),
        ),
      );
    },
    changeTags: async (sessionId, change, options) => {
      const { sessionSettings } = await get({ sessionId }, options);
      const tags = writableTags(change(sessionSettings?.tags ?? []));
      return update({ sessionId, sessionSettings: { tags } }, options);
    },
    addMessage: (parameters, options = {}) =>
      addMessage({ caller, ...settings }, parameters, options),
    getMessage: async (parameters, options) => {
      const route = routes['sessions.getMessage'];
      return (await caller.call(route, route.response, parameters, options)).value;
    },
  };
}
