import { isJsonObject } from '../core/json-object.ts';
import type { JsonObject } from '../core/json-object.ts';
import { inNotify } from './check-names.ts';
import { defaultChannels } from './defaults.ts';
import type { Finding } from './problem.ts';

/** Finds channels for digests of single persons that would send them all to the same place. */
export function checkEach({ channels = defaultChannels, digest }: JsonObject): Finding[] {
  if (!isJsonObject(digest)) return [];
  const known = isJsonObject(channels) ? channels : {};
  return inNotify(digest['each'], ['digest', 'each']).flatMap(({ name, path }) => {
    const entry = known[name];
    // That there is no such channel is said elsewhere.
    if (name !== 'inbox' && !isJsonObject(entry)) return [];
    if (isJsonObject(entry) && entry['to_concerned'] === true) return [];
    const message = `names "${name}", which would get the digests of everybody itself: name a mail channel with "to_concerned: true"`;
    return [{ path, at: 'value' as const, message }];
  });
}
