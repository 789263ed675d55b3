import type { RuleLanguage } from '../../core/agent/rule-language.ts';
import { readToolRule, writeToolRule } from '../support/tool-rules.ts';

/** Qwen Code. A rule for a command also allows substitutions, redirections and variables in it, so commands have none here. */
export const qwenRules: RuleLanguage = {
  files: [
    { scope: 'project', paths: ['.qwen/settings.json'], isShared: true },
    { scope: 'user', paths: ['.qwen/settings.json'] },
  ],
  form: 'list',
  keys: ['permissions', 'allow'],
  write: writeToolRule,
  read: readToolRule,
  managed: ['/etc/qwen-code/settings.json', '/Library/Application Support/QwenCode/settings.json'],
};
