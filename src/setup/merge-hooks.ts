import { isJsonObject } from '../core/json-object.ts';
import type { JsonObject } from '../core/json-object.ts';
import type { HookFile, Registration } from '../core/registration.ts';

/** The name by which our own entries are recognised, wherever the program was installed. */
const HOOK_NAME = 'hookbell-hook';

export type Merged =
  | { readonly ok: true; readonly document: JsonObject; readonly changed: boolean }
  | { readonly ok: false; readonly problem: string };

/**
 * Adds our hook to the settings of an agent: for each event one entry of its own, unless there is one already. Everything
 * else keeps its value and its order; a matcher the user set on our entry stays.
 *
 * @param command absolute path of the hook, quoted for a shell where it must be
 */
export function mergeHooks(
  settings: JsonObject,
  shape: HookFile['shape'],
  { events }: Registration,
  command: string,
): Merged {
  const document = structuredClone(settings);
  const map = shape === 'bare' ? document : (document['hooks'] ??= {});
  if (!isJsonObject(map)) return { ok: false, problem: '"hooks" is no object' };
  let changed = false;
  for (const { name, timeoutSeconds } of events) {
    const entries = (map[name] ??= []);
    if (!Array.isArray(entries)) return { ok: false, problem: `"hooks.${name}" is no array` };
    const own = entries.flatMap(ownHandlers);
    if (own.length === 0) {
      entries.push({ hooks: [{ type: 'command', command, timeout: timeoutSeconds }] });
      changed = true;
    }
    for (const handler of own) {
      if (handler['command'] === command) continue;
      handler['command'] = command;
      changed = true;
    }
  }
  return { ok: true, document, changed };
}

/** Takes our entries out, and with them what they leave empty. Entries of others are not touched. */
export function removeHooks(settings: JsonObject, shape: HookFile['shape']): Merged {
  const document = structuredClone(settings);
  const map = shape === 'bare' ? document : document['hooks'];
  if (!isJsonObject(map)) return { ok: true, document, changed: false };
  let changed = false;
  for (const [name, entries] of Object.entries(map)) {
    if (!Array.isArray(entries) || entries.flatMap(ownHandlers).length === 0) continue;
    const kept = entries.map(withoutOwnHandlers).filter((entry) => entry !== null);
    changed = true;
    if (kept.length > 0) map[name] = kept;
    else delete map[name];
  }
  if (changed && shape === 'wrapped' && Object.keys(map).length === 0) delete document['hooks'];
  return { ok: true, document, changed };
}

/** Our hook as the settings register it for one event. */
export interface RegisteredHook {
  readonly event: string;
  readonly command: string;
  /** In seconds; null when the settings name none. */
  readonly timeout: number | null;
}

/** For which events our hook is registered, and how. */
export function registeredEvents(
  settings: JsonObject,
  shape: HookFile['shape'],
): readonly RegisteredHook[] {
  const map = shape === 'bare' ? settings : settings['hooks'];
  if (!isJsonObject(map)) return [];
  return Object.entries(map).flatMap(([event, entries]) =>
    Array.isArray(entries)
      ? entries.flatMap(ownHandlers).map(({ command, timeout }) => ({
          event,
          command: String(command),
          timeout: typeof timeout === 'number' ? timeout : null,
        }))
      : [],
  );
}

/** A path as a shell reads it: bare where that is safe, otherwise in single quotes. */
export function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function ownHandlers(entry: unknown): readonly JsonObject[] {
  if (!isJsonObject(entry) || !Array.isArray(entry['hooks'])) return [];
  return entry['hooks'].filter((handler): handler is JsonObject => isOwn(handler));
}

function isOwn(handler: unknown): boolean {
  if (!isJsonObject(handler) || typeof handler['command'] !== 'string') return false;
  return new RegExp(`(^|[/\\\\])${HOOK_NAME}(['"\\s]|$)`).test(handler['command']);
}

/** The entry without our handlers; null when nothing of its own is left. */
function withoutOwnHandlers(entry: unknown): unknown {
  if (!isJsonObject(entry) || !Array.isArray(entry['hooks'])) return entry;
  const hooks = entry['hooks'].filter((handler) => !isOwn(handler));
  if (hooks.length === entry['hooks'].length) return entry;
  return hooks.length === 0 ? null : { ...entry, hooks };
}
