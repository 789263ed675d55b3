import type { RuleLanguage } from '../../core/agent/rule-language.ts';
import { parseJson } from '../../platform/json.ts';
import { arePlain } from '../support/tool-rules.ts';

const RULE = /^prefix_rule\(pattern=(\[[^\n]*?\]), decision="allow"\)$/;

/** Codex: https://developers.openai.com/codex/rules. A rule is a beginning, compared word by word; only words and `&&` can have one. */
export const codexRules: RuleLanguage = {
  files: [
    { scope: 'project', paths: ['.codex/rules/default.rules'], isShared: true },
    { scope: 'user', paths: ['.codex/rules/default.rules'] },
  ],
  movedBy: { variable: 'CODEX_HOME', directory: '.codex' },
  form: 'lines',
  keys: [],
  write({ type, words, isOpen }) {
    if (type !== 'command' || !isOpen || !arePlain(words)) return null;
    return `prefix_rule(pattern=${JSON.stringify(words)}, decision="allow")`;
  },
  read(rule) {
    const words = parseJson(RULE.exec(rule)?.[1] ?? '');
    return Array.isArray(words) && words.every((word) => typeof word === 'string')
      ? { type: 'command', words, isOpen: true }
      : null;
  },
  adds: 'outside the sandbox',
  managed: ['/etc/codex/requirements.toml', '/etc/codex/managed_config.toml'],
};
