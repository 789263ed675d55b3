import type { HookShape, Registration } from '../core/registration.ts';
import { isOwnCommand } from './hook-places.ts';
import type { JsonContainer, JsonEntry, JsonNode } from './json-tree.ts';

export type JsonShape = Exclude<HookShape, 'codex-notify' | 'opencode-plugin'>;

/** Where in the list of an event a command stands, and under which keys. */
export interface Layout {
  /** The events stand under the key `hooks`; otherwise the file is the map of events. */
  readonly wrapped: boolean;
  /** Entries hold lists of handlers; otherwise an entry is one. */
  readonly nested: boolean;
  readonly commandKey: 'command' | 'bash';
  readonly timeoutKey: 'timeout' | 'timeoutSec';
  /** What else a handler of ours says. */
  readonly others: Readonly<Record<string, string>>;
  /** The file begins with the version of its format. */
  readonly versioned: boolean;
}

const groups = {
  wrapped: true,
  nested: true,
  commandKey: 'command',
  timeoutKey: 'timeout',
  others: { type: 'command' },
  versioned: false,
} as const satisfies Layout;

export const layouts: Readonly<Record<JsonShape, Layout>> = {
  wrapped: groups,
  bare: { ...groups, wrapped: false },
  cursor: { ...groups, nested: false, others: {}, versioned: true },
  copilot: {
    ...groups,
    nested: false,
    commandKey: 'bash',
    timeoutKey: 'timeoutSec',
    versioned: true,
  },
};

/** A handler of ours, and the way to it: what is left empty without it goes with it. */
export interface OwnHandler {
  readonly event: string;
  readonly handler: JsonContainer;
  readonly command: JsonNode & { readonly value: string };
  readonly timeout: number | null;
  /** The list of an event, and the entry in it, in which the handler stands; an entry may hold others, too. */
  readonly way: readonly Step[];
  /** The entry says when it applies, which only a person writes. */
  readonly matched: boolean;
}

export interface Step {
  readonly container: JsonContainer;
  readonly at: number;
}

/** Our handlers in a map of events, in their order. */
export function ownHandlers(map: JsonContainer, layout: Layout): readonly OwnHandler[] {
  return map.entries.flatMap(({ key, value: list }, eventAt) => {
    if (list.type !== 'array') return [];
    const toList = { container: map, at: eventAt };
    return list.entries.flatMap(({ value: entry }, at) => {
      const toEntry = { container: list, at };
      const handlers = layout.nested ? memberOf(entry, 'hooks') : null;
      if (!layout.nested) return ownHandler(key, entry, [toList, toEntry], layout);
      if (handlers?.value.type !== 'array' || entry.type !== 'object') return [];
      const inner = handlers.value;
      return inner.entries.flatMap(({ value }, place) => {
        const way = [toList, toEntry, { container: inner, at: place }];
        return ownHandler(key, value, way, layout);
      });
    });
  });
}

function ownHandler(
  event: string | null,
  handler: JsonNode,
  way: readonly Step[],
  { commandKey, timeoutKey }: Layout,
): readonly OwnHandler[] {
  const command = memberOf(handler, commandKey)?.value;
  if (event === null || handler.type !== 'object' || command?.type !== 'scalar') return [];
  const { value } = command;
  if (typeof value !== 'string' || !isOwnCommand(value)) return [];
  const timeout = memberOf(handler, timeoutKey)?.value;
  return [
    {
      event,
      handler,
      command: { ...command, value },
      timeout:
        timeout?.type === 'scalar' && typeof timeout.value === 'number' ? timeout.value : null,
      way,
      matched: hasMatcher(way),
    },
  ];
}

function hasMatcher(way: readonly Step[]): boolean {
  return way.some(({ container, at }) => {
    const entry = container.entries[at]?.value;
    return entry !== undefined && memberOf(entry, 'matcher') !== null;
  });
}

/** The member of that name; of several the last, as `JSON.parse` has it. Null where there is none, or no object. */
export function memberOf(node: JsonNode, key: string): JsonEntry | null {
  if (node.type !== 'object') return null;
  return node.entries.findLast((entry) => entry.key === key) ?? null;
}

/** A hook file with our hook put in or taken out, or why it has to be left alone. */
export type Edited =
  | {
      readonly ok: true;
      /** The whole file. */
      readonly text: string;
      readonly changed: boolean;
      /** Nothing is in it that somebody else wrote, and nothing of ours. */
      readonly blank: boolean;
    }
  | {
      readonly ok: false;
      readonly problem: string;
      /** What to write where the usual line would not do. */
      readonly byHand?: string;
    };

/** Our hook as a file registers it for one event. */
export interface RegisteredHook {
  readonly event: string;
  /** As a shell reads it. */
  readonly command: string;
  /** In the unit of the agent; null when the file names none. */
  readonly timeout: number | null;
}

type Listed =
  | { readonly ok: true; readonly hooks: readonly RegisteredHook[] }
  | { readonly ok: false; readonly problem: string };

/** How one kind of hook file is edited. */
export interface HookFormat {
  /**
   * @param text the file as it is; null when there is none
   * @param hook absolute path of the hook, or `PORTABLE_HOOK`
   */
  readonly register: (text: string | null, registration: Registration, hook: string) => Edited;
  /** What a person has to add to the file where it cannot be written for them, on one line; null: that takes more than a line. */
  readonly byHand: (registration: Registration, hook: string) => string | null;
  readonly unregister: (text: string) => Edited;
  readonly list: (text: string) => Listed;
}

export type HookFormats = Readonly<Record<HookShape, HookFormat>>;
