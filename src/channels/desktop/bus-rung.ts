import type { BusClient } from './bus-client.ts';
import { idIn } from './bus-client.ts';
import type { Programs } from './programs.ts';
import { shownBy } from './programs.ts';
import type { Rung } from './rung.ts';
import type { SessionBus } from './session-bus.ts';

/** Calls the notification server directly, by busctl or gdbus: for a desktop without notify-send. */
export function busRung(client: BusClient, programs: Programs, bus: SessionBus): Rung {
  let program: string | null = null;
  return {
    name: client.program,
    replaces: true,
    async probe(look) {
      program = await programs.find(client.program);
      if (program === null) return { usable: false, detail: 'not on PATH' };
      const trouble = await bus.trouble(look);
      return { usable: trouble === null, detail: trouble ?? `server: ${bus.summary()}` };
    },
    async show(popUp, signal) {
      if (program === null) return { type: 'unfit', reason: 'not on PATH' };
      const message = { popUp, replaces: bus.latestId(popUp.key), body: bus.bodyText(popUp.body) };
      const result = await programs.run(program, client.notify(message), { signal });
      const id = result.ok ? idIn(result.stdout) : null;
      if (id !== null) bus.remember(popUp.key, id);
      return shownBy(result, id);
    },
    withdraw: (id, signal) => bus.close(id, signal),
  };
}
