import type { EventView } from '../../src/control/contract.ts';
import { NotFoundError } from '../../src/platform/errors.ts';
import type { CommandLine } from './command-line.ts';

/** A daemon that remembers these events, newest first, and hands them out page by page. */
export async function serveEvents(cli: CommandLine, events: readonly EventView[]): Promise<void> {
  await cli.serve({
    'GET /v1/history': ({ query }) => {
      const before = query.get('before');
      const from = before === null ? 0 : events.findIndex(({ eventId }) => eventId === before) + 1;
      return Promise.resolve(events.slice(from, from + Number(query.get('limit'))));
    },
    'GET /v1/events': ({ part }) => {
      const found = events.find(({ eventId }) => eventId === part);
      if (found === undefined) return Promise.reject(new NotFoundError(`No event "${part}"`));
      return Promise.resolve(found);
    },
  });
}
