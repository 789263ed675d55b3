import type { RuleLanguage } from '../core/agent/rule-language.ts';
import type { AgentName } from '../core/hook-event.ts';
import { claudeRules } from './claude/rules.ts';
import { codexRules } from './codex/rules.ts';
import { geminiRules } from './gemini/rules.ts';
import { openCodeRules } from './opencode/rules.ts';
import { qwenRules } from './qwen/rules.ts';

/** The agents whose rules were tried with the real program: what one of them stretches is not written. */
export const ruleLanguages: Readonly<Partial<Record<AgentName, RuleLanguage>>> = {
  claude: claudeRules,
  codex: codexRules,
  gemini: geminiRules,
  opencode: openCodeRules,
  qwen: qwenRules,
};
