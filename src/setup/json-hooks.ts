import type { Edited, HookFormat } from './hook-format.ts';
import type { JsonShape } from './hook-layout.ts';
import { readJsonTree } from './json-tree.ts';
import type { Merged } from './merge-hooks.ts';
import { isMisplaced, mergeHooks, MISPLACED, registeredHooks, removeHooks } from './merge-hooks.ts';

/** What an agent takes for a file without settings: none, or one that an editor or a failed program left empty. */
const NOTHING = '{}\n';

/**
 * A hook file in JSON, with the comments and trailing commas some agents allow: one entry is put in or taken out, everything
 * else keeps its bytes.
 */
export function jsonHooks(shape: JsonShape): HookFormat {
  return {
    register(text, registration, hook) {
      const file = text === null || text.trim() === '' ? NOTHING : text;
      const merged = mergeHooks(file, shape, registration, hook);
      return merged.ok ? edited(merged, text ?? '') : merged;
    },
    byHand(registration, hook) {
      const example = mergeHooks('{}', shape, registration, hook);
      return example.ok ? JSON.stringify(JSON.parse(example.text)) : null;
    },
    unregister(text) {
      if (text.trim() === '') return { ok: true, text, changed: false, blank: true };
      const removed = removeHooks(text, shape);
      return removed.ok ? edited(removed, text) : removed;
    },
    list(text) {
      const tree = readJsonTree(text.trim() === '' ? NOTHING : text);
      if (!tree.ok) return { ok: false, problem: `it is not valid JSON (${tree.problem})` };
      if (tree.root.type !== 'object') return { ok: false, problem: 'it is no JSON object' };
      if (isMisplaced(tree.root, shape)) return { ok: false, problem: MISPLACED };
      return { ok: true, hooks: registeredHooks(text, shape) };
    },
  };
}

function edited({ text }: Extract<Merged, { ok: true }>, before: string): Edited {
  return { ok: true, text, changed: text !== before, blank: isBlank(text) };
}

/** True when nothing is left in a file but the version of its format; a comment is something. */
function isBlank(text: string): boolean {
  return /^\ufeff?\s*\{\s*(?:"version"\s*:\s*1\s*,?\s*)?\}\s*$/.test(text);
}
