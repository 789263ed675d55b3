import type { RuleLanguage, RulePart } from '../../core/agent/rule-language.ts';

/** Signs that no list of rules takes for a pattern, or for the end of one. */
const PLAIN = /^[\w@+-][\w./:@%+=,-]*$/;
const FILE = /^[\w@+-][\w.@+-]*$/;

/** Whether these words stand for themselves in every rule. */
export function arePlain(words: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => word.startsWith('-') || PLAIN.test(word));
}

/** The rule for what is not a command, as Claude Code and its relatives write it; null: there is none. */
export const writeToolRule: RuleLanguage['write'] = ({ type, words, isOpen }, scope) => {
  if (type === 'edit' || type === 'write') {
    if (!words.every((word) => FILE.test(word))) return null;
    // A slash at the beginning is the project, in the settings of a project.
    return `Edit(${scope === 'project' ? '' : '.'}/${words.join('/')}${isOpen ? '/**' : ''})`;
  }
  const [first = '', second = ''] = words;
  if (type === 'fetch') {
    const isPlain = isOpen && first === 'https:' && /^[\w.-]+$/.test(second);
    return isPlain ? `WebFetch(domain:${second})` : null;
  }
  const isTool =
    type === 'use' && words.length === 2 && words.every((word) => /^[\w-]+$/.test(word));
  return isTool ? `mcp__${first}__${second}` : null;
};

/** The opposite of it, with commands in `Bash(…)`. */
export function readToolRule(rule: string): RulePart | null {
  const [, tool = '', inner = ''] = /^(\w+)(?:\((.*)\))?$/s.exec(rule) ?? [];
  if (tool === 'Bash') {
    const isOpen = inner === '' || /(?::\*| \*|^\*)$/.test(inner);
    const words = inner.replace(/(?::\*| \*|^\*)$/, '').split(' ');
    const isAll = words.length === 1 && words[0] === '';
    if (isAll) return { type: 'command', words: [], isOpen };
    return arePlain(words) ? { type: 'command', words, isOpen } : null;
  }
  if (tool === 'Edit') {
    const words = inner
      .replace(/^(?:\.?\/)?/, '')
      .replace(/\/\*\*$/, '')
      .split('/');
    const isOpen = inner.endsWith('/**');
    return words.every((word) => FILE.test(word)) ? { type: 'edit', words, isOpen } : null;
  }
  const host = tool === 'WebFetch' ? /^domain:([\w.-]+)$/.exec(inner)?.[1] : undefined;
  if (host !== undefined) return { type: 'fetch', words: ['https:', host], isOpen: true };
  const [, server, name] = /^mcp__(\w+?)(?:__([\w-]+))?$/.exec(rule) ?? [];
  if (server === undefined) return null;
  return { type: 'use', words: [server, ...(name === undefined ? [] : [name])], isOpen: true };
}

/** Rules that are the commands themselves. */
export function commandRule({ type, words, isOpen }: RulePart, end: string): string | null {
  if (type !== 'command' || !arePlain(words)) return null;
  return `${words.join(' ')}${isOpen ? end : ''}`;
}
