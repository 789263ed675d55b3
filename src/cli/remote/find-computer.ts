import type { Client, Computer } from '../../api/index.ts';
import { NotFoundError } from '../../api/index.ts';

/**
 * Finds a computer by what a person typed: an id, or else a name.
 *
 * @throws NotFoundError when it is neither
 */
export async function findComputer(api: Client, word: string): Promise<Computer> {
  try {
    return await api.computers.get({ computerId: word });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  return api.computers.byName({ name: word });
}
