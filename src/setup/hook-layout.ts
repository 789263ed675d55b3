import type { HookShape, moduleShapes, Registration } from '../core/agent/registration.ts';
import { hookCommandLine, isOwnCommand } from './hook-places.ts';
import { windowsCommand, windowsLine, windowsWords } from '../text/windows-command.ts';
import type { JsonContainer, JsonEntry, JsonNode } from './json-tree.ts';

export type JsonShape = Exclude<
  HookShape,
  (typeof moduleShapes)[number] | 'codex-notify' | 'toml-hooks' | 'kiro' | 'mcp-json' | 'mcp-toml'
>;

/** Position and keys of a command in the list of an event. */
export interface Layout {
  /** The events are under the key `hooks`; otherwise the file itself is the map of events. */
  readonly wrapped: boolean;
  /** Entries hold lists of handlers; otherwise an entry is one. */
  readonly nested: boolean;
  readonly commandKey: 'command' | 'bash';
  readonly windowsKey: 'command' | 'powershell';
  readonly timeoutKey: 'timeout' | 'timeoutSec';
  /** Further keys of our handlers. */
  readonly others: Readonly<Record<string, string>>;
  /** The file begins with the version of its format. */
  readonly versioned: boolean;
}

const groups = {
  wrapped: true,
  nested: true,
  commandKey: 'command',
  windowsKey: 'command',
  timeoutKey: 'timeout',
  others: { type: 'command' },
  versioned: false,
} as const satisfies Layout;

export const layouts: Readonly<Record<JsonShape, Layout>> = {
  wrapped: groups,
  bare: { ...groups, wrapped: false },
  vscode: { ...groups, nested: false },
  crush: { ...groups, nested: false, others: {} },
  cursor: { ...groups, nested: false, others: {}, versioned: true },
  copilot: {
    ...groups,
    nested: false,
    commandKey: 'bash',
    windowsKey: 'powershell',
    timeoutKey: 'timeoutSec',
    versioned: true,
  },
};

/** One of our handlers, and its containers: those left empty are removed with it. */
export interface OwnHandler {
  readonly event: string;
  readonly handler: JsonContainer;
  /** As a shell reads it. */
  readonly command: string;
  readonly timeout: number | null;
  /** The event's list and the entry that contain the handler; the entry may contain others too. */
  readonly way: readonly LayoutStep[];
  /** The entry has a matcher, which only a user writes. */
  readonly matched: boolean;
}

export interface LayoutStep {
  readonly container: JsonContainer;
  readonly at: number;
}

/**
 * Our handlers in a map of events, in their order.
 *
 * @param isOurs which commands count
 */
export function ownHandlers(
  map: JsonContainer,
  layout: Layout,
  isOurs: (command: string) => boolean = isOwnCommand,
): readonly OwnHandler[] {
  return map.entries.flatMap(({ key, value: list }, eventAt) => {
    if (list.type !== 'array') return [];
    const toList = { container: map, at: eventAt };
    return list.entries.flatMap(({ value: entry }, at) => {
      const toEntry = { container: list, at };
      const handlers = layout.nested ? memberOf(entry, 'hooks') : null;
      if (!layout.nested) return ownHandler(key, entry, [toList, toEntry], { layout, isOurs });
      if (handlers?.value.type !== 'array' || entry.type !== 'object') return [];
      const inner = handlers.value;
      return inner.entries.flatMap(({ value }, place) => {
        const way = [toList, toEntry, { container: inner, at: place }];
        return ownHandler(key, value, way, { layout, isOurs });
      });
    });
  });
}

function ownHandler(
  event: string | null,
  handler: JsonNode,
  way: readonly LayoutStep[],
  { layout, isOurs }: { readonly layout: Layout; readonly isOurs: (command: string) => boolean },
): readonly OwnHandler[] {
  const command = commandOf(handler, layout);
  if (event === null || handler.type !== 'object' || command === null || !isOurs(command))
    return [];
  const member = memberOf(handler, layout.timeoutKey)?.value;
  const value = member?.type === 'scalar' ? member.value : null;
  const timeout = typeof value === 'number' ? value : null;
  return [{ event, handler, command, timeout, way, matched: hasMatcher(way) }];
}

/** The command of a handler, with its arguments where those stand alone; null without one. */
function commandOf(handler: JsonNode, { commandKey, windowsKey }: Layout): string | null {
  const command = memberOf(handler, commandKey) ?? memberOf(handler, windowsKey);
  if (command?.value.type !== 'scalar' || typeof command.value.value !== 'string') return null;
  const args = memberOf(handler, 'args')?.value;
  if (args?.type !== 'array') return command.value.value;
  const words = args.entries.map(({ value }) => (value.type === 'scalar' ? `${value.value}` : ''));
  return windowsLine(command.value.value, words);
}

/** The members of a handler that say what it runs; `undefined`: it must not have it. */
export function commandMembers(
  { commandKey, windowsKey }: Layout,
  { node, windows = 'either-shell' }: Registration,
  hook: string,
  words: readonly string[],
): Readonly<Record<string, unknown>> {
  const named = windows === 'named-powershell' ? { shell: undefined } : {};
  const none = { [commandKey]: undefined, [windowsKey]: undefined, args: undefined, ...named };
  if (node === undefined) return { ...none, [commandKey]: hookCommandLine(hook, words) };
  const { command, ...others } = windowsCommand(windows, windowsWords(node, hook, words));
  return { ...none, [windowsKey]: command, ...others };
}

function hasMatcher(way: readonly LayoutStep[]): boolean {
  return way.some(({ container, at }) => {
    const entry = container.entries[at]?.value;
    return entry !== undefined && memberOf(entry, 'matcher') !== null;
  });
}

/** The member of that name; of several the last, as in `JSON.parse`. Null if missing, or if the value is not an object. */
export function memberOf(node: JsonNode, key: string): JsonEntry | null {
  if (node.type !== 'object') return null;
  return node.entries.findLast((entry) => entry.key === key) ?? null;
}

/** A hook file with our hook added or removed, or the reason to leave it alone. */
export type Edited =
  | {
      readonly ok: true;
      /** The whole file. */
      readonly text: string;
      readonly changed: boolean;
      /** The file contains no settings, neither ours nor others'. */
      readonly blank: boolean;
    }
  | {
      readonly ok: false;
      readonly problem: string;
      /** The text to write if the usual line does not fit. */
      readonly byHand?: string;
    };

/** Our hook as a file registers it for one event. */
export interface RegisteredHook {
  readonly event: string;
  /** As a shell reads it. */
  readonly command: string;
  /** In the unit of the agent; null if unset. */
  readonly timeout: number | null;
}

type Listed =
  | {
      readonly ok: true;
      readonly hooks: readonly RegisteredHook[];
      /** Registrations of the hook that waits for answers. */
      readonly asks: readonly RegisteredHook[];
    }
  | { readonly ok: false; readonly problem: string };

/** What to do with the hook that waits for answers; absent: nothing. */
export type Answers =
  | {
      /** Absolute path of hookbell-ask. */
      readonly hook: string;
      /** Whether it also waits for words after a turn, where the agent's display shows that; undefined: as before. */
      readonly words: boolean | undefined;
    }
  | 'remove';

/** How one kind of hook file is edited. */
export interface HookFormat {
  /**
   * @param text current content of the file; null if missing
   * @param hook absolute path of the hook, or `PORTABLE_HOOK`
   */
  readonly register: (text: string | null, registration: Registration, hook: string) => Edited;
  /** Adds the hook that waits for answers, where the agent takes any, or removes it. Absent: none. */
  readonly answers?: (text: string, registration: Registration, answers: Answers) => Edited;
  /** The line that the user has to add if we cannot write the file; null: it takes more than a line. */
  readonly byHand: (registration: Registration, hook: string) => string | null;
  readonly unregister: (text: string) => Edited;
  readonly list: (text: string) => Listed;
}

export type HookFormats = Readonly<Record<HookShape, HookFormat>>;
