import type { Refusal } from '../answer.ts';
import { refuse } from '../answer.ts';
import type { Family } from '../http/errors.ts';
import type { Knobs } from '../knobs.ts';
import type { World } from '../world.ts';

/** @returns why the credential of a request is not good enough for a family of routes, or null */
export function credentialProblem(
  authorization: string | undefined,
  family: Family,
  world: World,
  knobs: Knobs,
): Refusal | null {
  const { keyRing } = world;
  const caller = keyRing.find(authorization);
  if (caller !== undefined && knobs.revokesKey === true) keyRing.revoke(caller.name);
  if (caller === undefined || !keyRing.use(caller.name)) {
    return refuse(401, 'The API key is missing or invalid');
  }
  if (family === 'v0') return null;
  if (caller.name === 'jwt') return refuse(401, 'An access token is not an API key');
  const role = knobs.role ?? caller.role;
  if (family === 'analytics' && role !== 'owner' && role !== 'manager') {
    return refuse(403, `Role Manager or Owner is required, the key has role "${role}"`);
  }
  return null;
}
