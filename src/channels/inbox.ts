import { z } from 'zod';
import { defineChannel } from '../core/channel.ts';
import { delivered, retry } from '../core/outcome.ts';

/**
 * The channel that cannot fail. It is always there, even in a configuration without channels, and has nothing to
 * send: the delivery's row in the store is the inbox, and `hookbell history` reads it. When every other channel is
 * down, this is where people find what they missed.
 */
export default defineChannel({
  type: 'inbox',
  summary: 'Keeps notifications in the history of hookbell; always on, needs nothing',
  // People read it, but it rings for nobody: there is no hour at which it would have to wait.
  audience: 'program',
  reach: 'record',
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
      abilities: { replace: false, withdraw: false, update: false },
      send: (_notification, { signal }) =>
        Promise.resolve(signal.aborted ? retry('Stopped before it was taken') : delivered()),
      check: () =>
        Promise.resolve({ ok: true, summary: 'Always works: "hookbell history" shows it' }),
      close: () => Promise.resolve(),
    }),
});
