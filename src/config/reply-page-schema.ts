import { z } from 'zod';
import { duration } from './duration.ts';
import { listenAddress } from './listen-schema.ts';

/** The section about the page on which people answer agents. */
export const replyPageSchema = z
  .strictObject({
    listen: listenAddress
      .prefault('127.0.0.1:7447')
      .describe(
        'Where the page is served: an address of this machine alone, whose port stays the same',
      ),
    expire_after: duration({ min: '1m', max: '7d' })
      .prefault('12h')
      .describe('A link nobody has used no longer works after so long'),
  })
  .transform(({ listen, expire_after: expireAfterMs }) => ({ listen, expireAfterMs }));
