import { shellWord } from '../core/shell-word.ts';
import type { Edited, HookFormat } from './hook-format.ts';
import type { JsonShape, Merged } from './merge-hooks.ts';
import { isBlank, mergeHooks, registeredEvents, removeHooks } from './merge-hooks.ts';
import { defaultStyle, formatJson, parseSettings } from './settings-file.ts';
import type { JsonStyle } from './settings-file.ts';

/** A hook file in JSON: everything but our entries keeps its value, its order and its layout. */
export function jsonHooks(shape: JsonShape): HookFormat {
  return {
    register(text, registration, hook) {
      const command = shellWord(hook);
      const names = registration.events.map(({ name }) => name).join(', ');
      const byHand = `a hook with the command ${command} for ${names}`;
      const parsed = text === null ? null : parseSettings(text);
      if (parsed?.ok === false) return { ok: false, problem: parsed.reason, byHand };
      const merged = mergeHooks(parsed?.document ?? {}, shape, registration, command);
      return written(merged, parsed?.style ?? defaultStyle, byHand);
    },
    unregister(text) {
      const parsed = parseSettings(text);
      if (!parsed.ok) return { ok: false, problem: parsed.reason, byHand: null };
      return written(removeHooks(parsed.document, shape), parsed.style, null);
    },
    list(text) {
      const parsed = parseSettings(text);
      return parsed.ok
        ? { ok: true, hooks: registeredEvents(parsed.document, shape) }
        : { ok: false, problem: parsed.reason };
    },
  };
}

function written(merged: Merged, style: JsonStyle, byHand: string | null): Edited {
  if (!merged.ok) return { ok: false, problem: merged.problem, byHand };
  const { document, changed } = merged;
  return { ok: true, text: formatJson(document, style), changed, blank: isBlank(document) };
}
