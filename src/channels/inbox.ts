import { z } from 'zod';
import { defineChannel } from '../core/channel.ts';
import { delivered } from '../core/outcome.ts';

/** Always active, with nothing to send: the delivery's row in the store is the inbox, and `hookbell history` reads it. */
export default defineChannel({
  type: 'inbox',
  summary: "Keeps notifications in hookbell's history; always on",
  // People read it, but it makes no sound: it need not wait for any hour.
  audience: 'program',
  reach: 'record',
  recipient: 'the history',
  can: {},
  options: z.strictObject({}),
  limits: {
    timeoutMs: 1_000,
    concurrency: 128,
    burst: 1,
    refillMs: 0,
    maxAttempts: 5,
    batch: 128,
    pipelined: true,
  },
  create: () =>
    Promise.resolve({
      send: () => Promise.resolve(delivered()),
      check: () =>
        Promise.resolve({ ok: true, summary: 'Always works: "hookbell history" shows it' }),
      close: () => Promise.resolve(),
    }),
});
