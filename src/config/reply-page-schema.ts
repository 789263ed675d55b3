import { z } from 'zod';
import { duration } from './duration.ts';
import { listenAddress } from './listen-schema.ts';

/** Where it is served unless the configuration names another port. */
export const REPLY_PORT = 7447;

/** The section about the page on which people answer agents. */
export const replyPageSchema = z
  .strictObject({
    listen: listenAddress
      .prefault(`127.0.0.1:${REPLY_PORT}`)
      .describe(
        'Where the page is served: an address of this machine alone, whose port stays the same. Where the default port is taken, a free one is used and kept: "hookbell status" shows it',
      ),
    expire_after: duration({ min: '1m', max: '7d' })
      .prefault('12h')
      .describe('A link nobody has used no longer works after so long'),
  })
  .transform(({ listen, expire_after: expireAfterMs }) => ({ listen, expireAfterMs }));
