import type { RuleLanguage } from '../../core/agent/rule-language.ts';
import { addEntry, removeEntry, replaceValue } from '../edit-json.ts';
import { memberOf } from '../hook-layout.ts';
import { type JsonContainer, type JsonNode, readJsonTree } from '../json-tree.ts';
import { untilDone } from '../merge-hooks.ts';

/** Settings with rules added or removed, or the reason to leave them alone. */
export type EditedRules =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

type Form = Pick<RuleLanguage, 'form' | 'keys'>;

/** The rules of a file that allow something, in their order; empty if it cannot be read. */
export function rulesIn(text: string, { form, keys }: Form): readonly string[] {
  if (form === 'lines') return text.split(/\n+(?=\[|prefix_rule\()/).map((rule) => rule.trim());
  const tree = readJsonTree(text);
  const place = tree.ok ? nodeAt(tree.root, keys) : null;
  if (place === null || place.type === 'scalar') return [];
  return place.entries.flatMap(({ key, value }) => {
    const said = value.type === 'scalar' && typeof value.value === 'string' ? [value.value] : [];
    if (form === 'list') return said;
    return key !== null && said[0] === 'allow' ? [key] : [];
  });
}

/** Adds those that are not there; everything else keeps its bytes. */
export function withRules(
  text: string,
  { form, keys }: Form,
  rules: readonly string[],
): EditedRules {
  const wanted = rules.filter((rule) => !rulesIn(text, { form, keys }).includes(rule));
  if (form === 'lines') {
    const gap = text === '' || text.endsWith('\n') ? '' : '\n';
    return { ok: true, text: `${text}${gap}${wanted.map((rule) => `${rule}\n`).join('')}` };
  }
  return untilDone(text.trim() === '' ? '{}\n' : text, (root, now) => {
    const [rule] = wanted.filter((one) => !rulesIn(now, { form, keys }).includes(one));
    if (rule === undefined) return null;
    let place: JsonContainer = root;
    for (const [depth, key] of keys.entries()) {
      const found = memberOf(place, key)?.value;
      const isLast = depth === keys.length - 1;
      if (found === undefined) {
        // Where it asks by other settings, this would replace them.
        if (form === 'members') return { problem: `it has no "${keys.join('.')}"` };
        return { text: addEntry(now, place, key, isLast ? [] : {}) };
      }
      // OpenCode also takes one word for all.
      const word = isLast && form === 'members' && found.type === 'scalar' ? found.value : null;
      if (word === 'ask') return { text: replaceValue(now, found, { '*': word }) };
      if (found.type !== (isLast && form === 'list' ? 'array' : 'object')) {
        return { problem: `"${keys.slice(0, depth + 1).join('.')}" is not what was expected` };
      }
      place = found;
    }
    return form === 'list'
      ? { text: addEntry(now, place, null, rule) }
      : { text: addEntry(now, place, rule, 'allow') };
  });
}

/** Removes those that are there. */
export function withoutRules(
  text: string,
  { form, keys }: Form,
  rules: readonly string[],
): EditedRules {
  if (form === 'lines') {
    const left = rules.reduce((rest, rule) => rest.replace(`${rule}\n`, ''), text);
    return { ok: true, text: left };
  }
  return untilDone(text, (root, now) => {
    const place = nodeAt(root, keys);
    if (place === null || place.type === 'scalar') return null;
    const at = place.entries.findIndex(({ key, value }) =>
      rules.includes(
        form === 'list' && value.type === 'scalar' ? String(value.value) : (key ?? ''),
      ),
    );
    return at === -1 ? null : { text: removeEntry(now, place, at) };
  });
}

function nodeAt(root: JsonNode, keys: readonly string[]): JsonNode | null {
  let node: JsonNode | null = root;
  for (const key of keys) node = node === null ? null : (memberOf(node, key)?.value ?? null);
  return node;
}
