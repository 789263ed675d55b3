import { claudeEvents } from './support/claude-events.ts';
import type { Dialect } from './support/dialect.ts';

/** Qwen Code: https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks */
export default {
  agent: 'qwen',
  events: claudeEvents,
} satisfies Dialect;
