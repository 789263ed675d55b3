import { isJsonObject } from '../core/json-object.ts';
import type { JsonObject } from '../core/json-object.ts';
import type { HookShape, RegisteredEvent, Registration } from '../core/registration.ts';
import type { RegisteredHook } from './hook-format.ts';
import { isOwnCommand } from './own-hook.ts';

export type JsonShape = Exclude<HookShape, 'codex-notify' | 'opencode-plugin'>;

export type Merged =
  | { readonly ok: true; readonly document: JsonObject; readonly changed: boolean }
  | { readonly ok: false; readonly problem: string };

/** Where in the list of an event a command stands, and under which keys. */
interface Layout {
  /** Entries hold lists of handlers; otherwise an entry is one. */
  readonly nested: boolean;
  readonly commandKey: 'command' | 'bash';
  readonly timeoutKey: 'timeout' | 'timeoutSec';
  /** What else a handler of ours says. */
  readonly others: JsonObject;
  /** The file begins with the version of its format. */
  readonly versioned: boolean;
}

const groups: Layout = {
  nested: true,
  commandKey: 'command',
  timeoutKey: 'timeout',
  others: { type: 'command' },
  versioned: false,
};
const layouts: Readonly<Record<JsonShape, Layout>> = {
  wrapped: groups,
  bare: groups,
  cursor: {
    nested: false,
    commandKey: 'command',
    timeoutKey: 'timeout',
    others: {},
    versioned: true,
  },
  copilot: {
    nested: false,
    commandKey: 'bash',
    timeoutKey: 'timeoutSec',
    others: { type: 'command' },
    versioned: true,
  },
};

/**
 * Adds our hook to the settings of an agent: for each event one entry of its own, unless there is one already. Everything
 * else keeps its value and its order; a matcher the user set on our entry stays.
 *
 * @param command absolute path of the hook, quoted for a shell where it must be
 */
export function mergeHooks(
  settings: JsonObject,
  shape: JsonShape,
  registration: Registration,
  command: string,
): Merged {
  const layout = layouts[shape];
  const document = structuredClone(settings);
  if (layout.versioned) document['version'] ??= 1;
  const map = shape === 'bare' ? document : (document['hooks'] ??= {});
  if (!isJsonObject(map)) return { ok: false, problem: '"hooks" is no object' };
  let changed = false;
  for (const event of registration.events) {
    const entries = (map[event.name] ??= []);
    if (!Array.isArray(entries)) return { ok: false, problem: `"hooks.${event.name}" is no array` };
    const line = [command, ...wordsFor(registration, event)].join(' ');
    const own = entries.flatMap((entry) => ownHandlers(entry, layout));
    if (own.length === 0) {
      const handler = {
        ...layout.others,
        [layout.commandKey]: line,
        [layout.timeoutKey]: timeoutOf(registration, event),
      };
      entries.push(layout.nested ? { hooks: [handler] } : handler);
      changed = true;
    }
    for (const handler of own) {
      if (handler[layout.commandKey] === line) continue;
      handler[layout.commandKey] = line;
      changed = true;
    }
  }
  return { ok: true, document, changed };
}

function wordsFor({ words = [], saysEvent = false }: Registration, { name }: RegisteredEvent) {
  return saysEvent ? [...words, '--event', name] : words;
}

function timeoutOf({ timeoutUnit }: Registration, { timeoutSeconds }: RegisteredEvent): number {
  return timeoutUnit === 'milliseconds' ? timeoutSeconds * 1_000 : timeoutSeconds;
}

/** Takes our entries out, and with them what they leave empty. Entries of others are not touched. */
export function removeHooks(settings: JsonObject, shape: JsonShape): Merged {
  const layout = layouts[shape];
  const document = structuredClone(settings);
  const map = shape === 'bare' ? document : document['hooks'];
  if (!isJsonObject(map)) return { ok: true, document, changed: false };
  let changed = false;
  for (const [name, entries] of Object.entries(map)) {
    if (!Array.isArray(entries)) continue;
    if (entries.flatMap((entry) => ownHandlers(entry, layout)).length === 0) continue;
    const kept = entries
      .map((entry) => withoutOwnHandlers(entry, layout))
      .filter((entry) => entry !== null);
    changed = true;
    if (kept.length > 0) map[name] = kept;
    else delete map[name];
  }
  if (changed && shape !== 'bare' && Object.keys(map).length === 0) delete document['hooks'];
  return { ok: true, document, changed };
}

/** True when nothing is left in a file but the version of its format. */
export function isBlank(document: JsonObject): boolean {
  return Object.keys(document).every((key) => key === 'version');
}

/** For which events our hook is registered, and how. */
export function registeredEvents(
  settings: JsonObject,
  shape: JsonShape,
): readonly RegisteredHook[] {
  const layout = layouts[shape];
  const map = shape === 'bare' ? settings : settings['hooks'];
  if (!isJsonObject(map)) return [];
  return Object.entries(map).flatMap(([event, entries]) =>
    Array.isArray(entries)
      ? entries
          .flatMap((entry) => ownHandlers(entry, layout))
          .map((handler) => {
            const timeout = handler[layout.timeoutKey];
            return {
              event,
              command: String(handler[layout.commandKey]),
              timeout: typeof timeout === 'number' ? timeout : null,
            };
          })
      : [],
  );
}

function ownHandlers(entry: unknown, layout: Layout): readonly JsonObject[] {
  const handlers = layout.nested ? handlersIn(entry) : [entry];
  return handlers.filter((handler): handler is JsonObject => isOwn(handler, layout));
}

function handlersIn(entry: unknown): readonly unknown[] {
  return isJsonObject(entry) && Array.isArray(entry['hooks']) ? entry['hooks'] : [];
}

function isOwn(handler: unknown, { commandKey }: Layout): boolean {
  if (!isJsonObject(handler)) return false;
  const command = handler[commandKey];
  return typeof command === 'string' && isOwnCommand(command);
}

/** The entry without our handlers; null when nothing of its own is left. */
function withoutOwnHandlers(entry: unknown, layout: Layout): unknown {
  if (!layout.nested) return isOwn(entry, layout) ? null : entry;
  if (!isJsonObject(entry)) return entry;
  const before = handlersIn(entry);
  const hooks = before.filter((handler) => !isOwn(handler, layout));
  if (hooks.length === before.length) return entry;
  return hooks.length === 0 ? null : { ...entry, hooks };
}
