import type { CommandContext } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { callAndShow } from './call.ts';
import { DEFAULT_MAX, MAX_PAGE } from './page-sizes.ts';
import { withClient } from './with-client.ts';

export interface RemoteSessionsOptions {
  readonly max?: number;
  readonly computer?: string;
  readonly csv?: boolean;
}

/** The sessions the service knows, for `hookbell sessions --remote`. */
export function showRemoteSessions(
  context: CommandContext,
  { max = DEFAULT_MAX, computer: computerId, csv }: RemoteSessionsOptions,
): Promise<ExitCode | void> {
  return withClient(context, ({ api }) =>
    callAndShow(context, api, {
      id: 'sessions.list',
      parameters: { limit: Math.min(max, MAX_PAGE), computerId },
      extent: max,
      csv,
    }),
  );
}
