import { createNotificationServer } from './notification-server.ts';
import type { Backend, BackendDependencies, Programs } from './backend.ts';
import { replyActionOf } from './server-link.ts';

/** Over the session bus, so that no text appears in program arguments, which every user of the machine can read. */
export function dbusBackend(programs: Programs, dependencies: BackendDependencies): Backend {
  const server = createNotificationServer(programs, dependencies);
  let opensPages = false;

  const reacts = (): boolean => server.capabilities().includes('actions');

  return {
    name: 'dbus',
    replaces: true,
    reacts,
    answers() {
      const action = replyActionOf(server.capabilities(), opensPages);
      if (action === null) return 'none';
      return action === 'inline-reply' ? 'inline' : 'button';
    },
    async probe(signal) {
      const trouble = await server.probe(signal);
      if (trouble !== null) return { usable: false, detail: trouble };
      opensPages = (await programs.find('xdg-open')) !== null;
      const detail = `server: ${server.capabilities().join(', ')}`;
      const hiddenBy = await server.hides(null, signal);
      return { usable: true, detail: hiddenBy === null ? detail : `${hiddenBy}; ${detail}` };
    },
    async show(popUp, signal) {
      const hiddenBy = popUp.evenIfHidden ? null : await server.hides(popUp.urgency, signal);
      if (hiddenBy !== null) return { type: 'hidden', reason: hiddenBy };
      return server.show(popUp, opensPages, signal);
    },
    async resubscribe(popUp, { id, server: issuer }) {
      if (reacts()) await server.resubscribe(popUp, { id: Number(id), server: issuer });
    },
    withdraw: (id, signal, issuer) => server.withdraw(Number(id), signal, issuer),
    close: async () => server.close(),
  };
}
