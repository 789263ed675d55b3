import type { Match } from '../core/policy.ts';
import { isJsonObject, type JsonObject } from '../platform/json.ts';
import { didYouMean } from '../text/suggest.ts';
import { routeSchema } from './plan-schema.ts';
import type { DocumentPath, Finding } from './problem.ts';
import { defaultChannels } from './config.ts';

/** A name and the path at which the document mentions it. */
interface Mention {
  readonly name: string;
  readonly path: DocumentPath;
}

/** Reads the unparsed document, so that a mistake next to a name does not hide one in it. */
export function checkNames(document: JsonObject, types: readonly string[]): Finding[] {
  const { channels = defaultChannels, plans = {} } = document;
  const findings: Finding[] = [];
  if (isJsonObject(channels)) {
    const names = Object.keys(channels);
    if (names.includes('inbox')) {
      const message = 'is the name of the built-in inbox, which is always on';
      findings.push({ path: ['channels', 'inbox'], at: 'key', message });
    }
    for (const { name, path } of channelMentions(document)) {
      if (name === 'inbox' || names.includes(name)) continue;
      findings.push({ path, at: 'value', message: unknownChannel(name, names, types) });
    }
  }
  if (isJsonObject(plans)) {
    const names = Object.keys(plans);
    if (names.includes('none')) {
      const message = 'is a built-in plan that sends nothing, choose another name';
      findings.push({ path: ['plans', 'none'], at: 'key', message });
    }
    for (const { name, path } of planMentions(document)) {
      if (name === 'none' || names.includes(name)) continue;
      const message = `names the unknown plan "${name}"${didYouMean(name, [...names, 'none'])}`;
      findings.push({ path, at: 'value', message });
    }
  }
  return findings;
}

function unknownChannel(
  name: string,
  channels: readonly string[],
  types: readonly string[],
): string {
  const hint =
    didYouMean(name, [...channels, 'inbox']) ||
    (types.includes(name) ? `, add "${name}: { type: ${name} }" to channels` : '');
  // Probably meant: the plan of that name, which notifies no channel.
  const none = name === 'none' ? ', use "plan: none" instead of "notify" to send nothing' : hint;
  return `names the unknown channel "${name}"${none}`;
}

function channelMentions({ plans, routes, quiet_hours: quiet, digest }: JsonObject): Mention[] {
  const windows: [JsonObject, DocumentPath][] = isJsonObject(quiet)
    ? [[quiet, ['quiet_hours']]]
    : entriesOf(quiet, ['quiet_hours']);
  return [
    ...windows.flatMap(([{ then }, path]) =>
      inNotify(isJsonObject(then) ? then['channels'] : [], [...path, 'then', 'channels']),
    ),
    ...(isJsonObject(digest) ? ['notify', 'each'] : []).flatMap((key) =>
      inNotify(isJsonObject(digest) ? digest[key] : [], ['digest', key]),
    ),
    ...(isJsonObject(plans) ? Object.entries(plans) : []).flatMap(([name, steps]) =>
      inSteps(steps, ['plans', name]),
    ),
    ...entriesOf(routes, ['routes']).flatMap(([route, path]) => [
      ...inNotify(route['notify'], [...path, 'notify']),
      ...inSteps(route['plan'], [...path, 'plan']),
    ]),
  ];
}

function planMentions({ routes }: JsonObject): Mention[] {
  return entriesOf(routes, ['routes']).flatMap(([{ plan }, path]) =>
    typeof plan === 'string' ? [{ name: plan, path: [...path, 'plan'] }] : [],
  );
}

function inSteps(steps: unknown, path: DocumentPath): Mention[] {
  return entriesOf(steps, path).flatMap(([{ notify }, place]) =>
    inNotify(notify, [...place, 'notify']),
  );
}

/** The channel names in a string or list, with their paths. */
export function inNotify(notify: unknown, path: DocumentPath): Mention[] {
  if (typeof notify === 'string') return [{ name: notify, path }];
  return (Array.isArray(notify) ? notify : []).flatMap((name: unknown, index): Mention[] =>
    typeof name === 'string' ? [{ name, path: [...path, index] }] : [],
  );
}

/** The mappings of a list, with their paths. */
function entriesOf(list: unknown, path: DocumentPath): [JsonObject, DocumentPath][] {
  return (Array.isArray(list) ? list : []).flatMap(
    (entry: unknown, index): [JsonObject, DocumentPath][] =>
      isJsonObject(entry) ? [[entry, [...path, index]]] : [],
  );
}

/** Finds channels that would send all personal digests to the same address. */
export function checkEach({ channels = defaultChannels, digest }: JsonObject): Finding[] {
  if (!isJsonObject(digest)) return [];
  const configured = isJsonObject(channels) ? channels : {};
  return inNotify(digest['each'], ['digest', 'each']).flatMap(({ name, path }) => {
    const entry = configured[name];
    // `checkNames` reports unknown channels.
    if (name !== 'inbox' && !isJsonObject(entry)) return [];
    if (isJsonObject(entry) && isForOne(entry)) return [];
    const message = `names "${name}", which would receive the digests of all users: use an email channel with "to_concerned: true" or, at a hub, "to: person"`;
    return [{ path, at: 'value' as const, message }];
  });
}

function isForOne({ to, to_concerned: toConcerned }: JsonObject): boolean {
  return toConcerned === true || to === 'person' || to === 'dm:@person';
}

/** Finds routes that no event can reach, because an earlier one without `also` matches all of their events. */
export function checkReach(document: JsonObject): Finding[] {
  // Routes are parsed one by one, so that an invalid route does not hide this problem of another.
  const list: readonly unknown[] = Array.isArray(document['routes']) ? document['routes'] : [];
  const routes = list.map((route) => routeSchema.safeParse(route).data ?? null);
  return routes.flatMap((route, index): Finding[] => {
    if (route === null) return [];
    const taker = routes.findIndex(
      (earlier, place) =>
        place < index && earlier !== null && !earlier.also && covers(earlier.match, route.match),
    );
    if (taker < 0) return [];
    const message = `can never be reached: routes[${taker}] matches all of its events, move it up or set "also: true" there`;
    return [{ path: ['routes', index], at: 'value', message }];
  });
}

/** True if every event that matches `narrow` also matches `wide`. Compares globs as text, so never a false alarm. */
function covers(wide: Match, narrow: Match): boolean {
  return Object.entries(wide).every(([key, wanted]) => {
    const given = new Map<string, unknown>(Object.entries(narrow)).get(key);
    if (Array.isArray(wanted)) {
      return Array.isArray(given) && given.every((value) => wanted.includes(value));
    }
    if (typeof wanted === 'number') return typeof given === 'number' && given >= wanted;
    // Hours are not compared.
    return typeof wanted === 'boolean' && wanted === given;
  });
}
