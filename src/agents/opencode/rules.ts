import type { RuleLanguage } from '../../core/agent/rule-language.ts';
import { arePlain, commandRule } from '../support/tool-rules.ts';

/** OpenCode: https://opencode.ai/docs/permissions. A rule with an open end also allows `>` into any file: only whole commands are proposed. */
export const openCodeRules: RuleLanguage = {
  files: [
    { scope: 'project', paths: ['opencode.jsonc', 'opencode.json'], isShared: true },
    { scope: 'user', paths: ['.config/opencode/opencode.jsonc', '.config/opencode/opencode.json'] },
  ],
  form: 'members',
  keys: ['permission', 'bash'],
  write: (part) => (part.isOpen ? null : commandRule(part, '')),
  read(rule) {
    const isOpen = /(?:^| )\*$/.test(rule);
    const words = rule === '*' ? [] : rule.replace(/ \*$/, '').split(' ');
    return words.length === 0 || arePlain(words) ? { type: 'command', words, isOpen } : null;
  },
  managed: ['/etc/opencode', '/Library/Application Support/opencode'],
};
