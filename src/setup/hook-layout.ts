import type { HookShape } from '../core/registration.ts';
import { isOwnCommand } from './own-hook.ts';
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
