import type { Server } from 'node:http';
import type { ListenOptions } from 'node:net';

/** Rejects with the system's error where it cannot. */
export function startListening(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Resolves when all is closed; requests under way are cut off. */
export async function stopListening(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
