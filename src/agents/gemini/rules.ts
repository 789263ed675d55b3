import type { RuleLanguage } from '../../core/agent/rule-language.ts';
import { commandRule } from '../support/tool-rules.ts';

const COMMAND =
  /^\[\[rule\]\]\ntoolName = "run_shell_command"\ncommandPrefix = "([^"\\]+)"\ndecision = "allow"/;

/** Gemini CLI: https://geminicli.com/docs/reference/policy-engine. It has no rules of a person for one project. */
export const geminiRules: RuleLanguage = {
  files: [{ scope: 'user', paths: ['.gemini/policies/hookbell.toml'] }],
  form: 'lines',
  keys: [],
  write(part) {
    const command = part.isOpen ? commandRule(part, '') : null;
    if (command === null) return null;
    return `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "${command}"\ndecision = "allow"\npriority = 100`;
  },
  read(rule) {
    const words = COMMAND.exec(rule)?.[1]?.split(' ');
    return words === undefined ? null : { type: 'command', words, isOpen: true };
  },
  managed: [
    '/etc/gemini-cli/settings.json',
    '/etc/gemini-cli/policies',
    '/Library/Application Support/GeminiCli/settings.json',
  ],
};
