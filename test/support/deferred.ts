import { EventEmitter, once } from 'node:events';

/** A promise that is settled from outside: tests wait for an event of a server with it. */
export function deferred(): { readonly promise: Promise<unknown>; readonly resolve: () => void } {
  const settler = new EventEmitter();
  return { promise: once(settler, 'settled'), resolve: () => settler.emit('settled') };
}
