import type { Registration } from '../core/agent/registration.ts';
import { addEntry, mendMember, removeEntry, replaceValue } from './edit-json.ts';
import {
  type Edited,
  type HookFormat,
  type JsonShape,
  layouts,
  memberOf,
  type OwnHandler,
  ownHandlers,
  type RegisteredHook,
  type Answers,
  commandMembers,
} from './hook-layout.ts';
import { hookCommandLine, isAskCommand, isOwnCommand } from './hook-places.ts';
import { type JsonContainer, type JsonNode, readJsonTree } from './json-tree.ts';

export type Merged =
  | { readonly ok: true; readonly text: string; readonly changed: boolean }
  | { readonly ok: false; readonly problem: string };

/** The next single change of a file, null if none is needed, or the reason why it is impossible. */
type Change = { readonly text: string } | { readonly problem: string } | null;

/** More changes than events and handlers in any file: more mean a bug in the changes. */
const MOST_CHANGES = 10_000;

/**
 * Adds our hook to the settings of an agent: one separate entry per event, unless it exists; of duplicates only the first
 * stays. Everything else keeps its bytes, including comments; a matcher that the user set on our entry stays.
 *
 * @param hook absolute path of the hook, or `PORTABLE_HOOK`
 */
export function mergeHooks(
  settings: string,
  shape: JsonShape,
  registration: Registration,
  hook: string,
): Merged {
  return untilDone(settings, (root, text) => {
    const { wrapped, versioned } = layouts[shape];
    if (versioned && memberOf(root, 'version') === null) {
      return { text: addEntry(text, root, 'version', 1) };
    }
    if (isMisplaced(root, shape)) return { problem: MISPLACED };
    const map = wrapped ? memberOf(root, 'hooks') : { value: root };
    if (map === null) return { text: addEntry(text, root, 'hooks', {}) };
    if (isNull(map.value)) return { text: replaceValue(text, map.value, {}) };
    if (map.value.type !== 'object') return { problem: '"hooks" is not an object' };
    const { saysEvent = false } = registration;
    const scale = registration.timeoutUnit === 'milliseconds' ? 1_000 : 1;
    for (const event of registration.events) {
      const { name, timeoutSeconds, matcher } = event;
      const words = [...(registration.words ?? []), ...(saysEvent ? ['--event', name] : [])];
      const command = commandMembers(layouts[shape], registration, hook, words);
      const timeout = timeoutSeconds * scale;
      const wanted = { name, matcher, command, timeout, isOurs: isOwnCommand };
      const change = registerEvent(text, map.value, shape, wanted);
      if (change !== null) return change;
    }
    return null;
  });
}

/** Adds the hook that waits for answers beside the silent one, which must be registered, or removes it. */
export function mergeAnswers(
  settings: string,
  shape: JsonShape,
  { answers, rests, words = [] }: Registration,
  wanted: Answers,
): Merged {
  if (wanted === 'remove') return removeCommands(settings, shape, isAskCommand);
  const before =
    wanted.words === false && rests !== undefined
      ? removeCommands(settings, shape, isAskCommand, rests.name)
      : null;
  if (before?.ok === false) return before;
  const events = [answers, wanted.words === true ? rests : undefined];
  const merged = untilDone(before?.text ?? settings, (root, text) => {
    const map = mapOf(root, shape);
    if (map === null) return null;
    const command = { [layouts[shape].commandKey]: hookCommandLine(wanted.hook, words) };
    for (const event of events) {
      if (event === undefined) continue;
      const change = registerEvent(text, map, shape, { ...event, command, isOurs: isAskCommand });
      if (change !== null) return change;
    }
    return null;
  });
  return merged.ok ? { ...merged, changed: merged.changed || before?.changed === true } : merged;
}

/** Problem of a file whose events the agent does not find; the agent silently ignores such a file. */
export const MISPLACED =
  'its events are under "hooks", but this agent expects them at the top level of the file';

export function isMisplaced(root: JsonContainer, shape: JsonShape): boolean {
  return !layouts[shape].wrapped && memberOf(root, 'hooks')?.value.type === 'object';
}

interface Wanted {
  /** Of the event. */
  readonly name: string;
  readonly matcher?: string | undefined;
  /** In the unit of the agent. */
  readonly timeout: number;
  /** {@link commandMembers} */
  readonly command: Readonly<Record<string, unknown>>;
  readonly isOurs: (command: string) => boolean;
}

function registerEvent(
  text: string,
  map: JsonContainer,
  shape: JsonShape,
  { name, matcher, timeout, command, isOurs }: Wanted,
): Change {
  const layout = layouts[shape];
  const list = memberOf(map, name);
  // Of several lists of that name the agent uses the last.
  const ours = ownHandlers(map, layout, isOurs).filter(
    ({ way: [first] }) => first !== undefined && map.entries[first.at] === list,
  );
  for (const { handler } of ours) {
    const mended = mendMember(text, handler, command);
    if (mended !== null) return { text: mended };
  }
  const [, ...further] = ours;
  const surplus = further.find(({ matched }) => !matched);
  if (surplus !== undefined) return { text: withoutHandler(text, surplus) };
  if (ours.length > 0) return null;
  const handler = { ...layout.others, ...command, [layout.timeoutKey]: timeout };
  const when = matcher === undefined ? {} : { matcher };
  const entry = layout.nested ? { ...when, hooks: [handler] } : handler;
  if (list === null) return { text: addEntry(text, map, name, [entry]) };
  if (isNull(list.value)) return { text: replaceValue(text, list.value, [entry]) };
  if (list.value.type !== 'array') return { problem: `"hooks.${name}" is not an array` };
  return { text: addEntry(text, list.value, null, entry) };
}

/** Removes our entries and the containers they leave empty. Does not touch entries of others. */
export function removeHooks(settings: string, shape: JsonShape): Merged {
  return removeCommands(
    settings,
    shape,
    (command) => isOwnCommand(command) || isAskCommand(command),
  );
}

/** @param event only those of this event */
function removeCommands(
  settings: string,
  shape: JsonShape,
  isOurs: (command: string) => boolean,
  event?: string,
): Merged {
  return untilDone(settings, (root, text) => {
    const map = mapOf(root, shape);
    if (map === null) return null;
    const list = event === undefined ? undefined : memberOf(map, event);
    const ours = ownHandlers(map, layouts[shape], isOurs).find(
      ({ way: [first] }) =>
        list === undefined || (first !== undefined && map.entries[first.at] === list),
    );
    if (ours === undefined) return null;
    // The map contains only this handler: remove its key too.
    const at = root.entries.findIndex(({ value }) => value === map);
    const isAlone = at !== -1 && ours.way.every(({ container }) => container.entries.length === 1);
    return { text: isAlone ? removeEntry(text, root, at) : withoutHandler(text, ours) };
  });
}

/** Removes a handler, and the entry and the list if they contain nothing else. */
function withoutHandler(text: string, { way }: OwnHandler): string {
  const [first] = way;
  const step = way.findLast(({ container }) => container.entries.length > 1) ?? first;
  return step === undefined ? text : removeEntry(text, step.container, step.at);
}

/** The events for which a hook of ours is registered, and how; none if the file cannot be parsed. */
export function registeredHooks(
  settings: string,
  shape: JsonShape,
  isOurs: (command: string) => boolean = isOwnCommand,
): readonly RegisteredHook[] {
  const tree = readJsonTree(settings);
  const map = tree.ok && tree.root.type === 'object' ? mapOf(tree.root, shape) : null;
  if (map === null) return [];
  return ownHandlers(map, layouts[shape], isOurs).map(({ event, command, timeout }) => ({
    event,
    command,
    timeout,
  }));
}

function mapOf(root: JsonContainer, shape: JsonShape): JsonContainer | null {
  const map = layouts[shape].wrapped ? memberOf(root, 'hooks')?.value : root;
  return map?.type === 'object' ? map : null;
}

/** Applies the changes one by one, each to the result of the previous one. */
export function untilDone(
  settings: string,
  next: (root: JsonContainer, text: string) => Change,
): Merged {
  let text = settings;
  for (let count = 0; count < MOST_CHANGES; count += 1) {
    const tree = readJsonTree(text);
    if (!tree.ok) return { ok: false, problem: `it is not valid JSON (${tree.problem})` };
    if (tree.root.type !== 'object') return { ok: false, problem: 'it is not a JSON object' };
    const change = next(tree.root, text);
    if (change === null) return { ok: true, text, changed: text !== settings };
    if ('problem' in change) return { ok: false, problem: change.problem };
    text = change.text;
  }
  throw new Error('The hook changes do not converge');
}

function isNull(node: JsonNode): boolean {
  return node.type === 'scalar' && node.value === null;
}

/** Whether the file has no settings: missing, or left empty by an editor or a failed program. */
const NOTHING = '{}\n';

/** A hook file in JSON, also with comments and trailing commas: one entry is added or removed, everything else keeps its bytes. */
export function jsonHooks(shape: JsonShape): HookFormat {
  return {
    register(text, registration, hook) {
      const file = text === null || text.trim() === '' ? NOTHING : text;
      const merged = mergeHooks(file, shape, registration, hook);
      return merged.ok ? editedJson(merged, text ?? '') : merged;
    },
    answers(text, registration, answers) {
      const merged = mergeAnswers(text, shape, registration, answers);
      return merged.ok ? editedJson(merged, text) : merged;
    },
    byHand(registration, hook) {
      const example = mergeHooks('{}', shape, registration, hook);
      return example.ok ? JSON.stringify(JSON.parse(example.text)) : null;
    },
    unregister(text) {
      if (text.trim() === '') return { ok: true, text, changed: false, blank: true };
      const removed = removeHooks(text, shape);
      return removed.ok ? editedJson(removed, text) : removed;
    },
    list(text) {
      const tree = readJsonTree(text.trim() === '' ? NOTHING : text);
      if (!tree.ok) return { ok: false, problem: `it is not valid JSON (${tree.problem})` };
      if (tree.root.type !== 'object') return { ok: false, problem: 'it is not a JSON object' };
      if (isMisplaced(tree.root, shape)) return { ok: false, problem: MISPLACED };
      const hooks = registeredHooks(text, shape);
      return { ok: true, hooks, asks: registeredHooks(text, shape, isAskCommand) };
    },
  };
}

export function editedJson({ text }: Extract<Merged, { ok: true }>, before: string): Edited {
  return { ok: true, text, changed: text !== before, blank: isBlank(text) };
}

/** True if a file contains only the version of its format; comments count as content. */
function isBlank(text: string): boolean {
  return /^\ufeff?\s*\{\s*(?:"version"\s*:\s*1\s*,?\s*)?\}\s*$/.test(text);
}
