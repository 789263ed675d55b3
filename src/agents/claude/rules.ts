import type { RuleLanguage } from '../../core/agent/rule-language.ts';
import { commandRule, readToolRule, writeToolRule } from '../support/tool-rules.ts';

/** Claude Code: https://code.claude.com/docs/en/permissions. It reads commands with a parser, and matches each in a list. */
export const claudeRules: RuleLanguage = {
  files: [
    { scope: 'project', paths: ['.claude/settings.local.json'] },
    { scope: 'project', paths: ['.claude/settings.json'], isShared: true },
    { scope: 'user', paths: ['.claude/settings.json'] },
  ],
  movedBy: { variable: 'CLAUDE_CONFIG_DIR', directory: '.claude' },
  form: 'list',
  keys: ['permissions', 'allow'],
  write(part, scope) {
    const command = commandRule(part, ':*');
    return command === null ? writeToolRule(part, scope) : `Bash(${command})`;
  },
  read: readToolRule,
  adds: 'also after cd, timeout, time, nice and nohup, and with its output discarded',
  managed: [
    '/etc/claude-code/managed-settings.json',
    '/etc/claude-code/managed-settings.d',
    '/Library/Application Support/ClaudeCode/managed-settings.json',
  ],
};
