import type { Facts } from '../core/facts.ts';
import { claudeEvents } from './support/claude-events.ts';
import type { Dialect } from './support/dialect.ts';
import { toolIdentity, turnIdentity } from './support/turn-identity.ts';

/** Claude Code: https://docs.claude.com/en/docs/claude-code/hooks */
export default {
  agent: 'claude',
  events: claudeEvents,
  identity(payload, meaning) {
    return toolIdentity(payload) ?? turnIdentity(payload, meaning, payload.promptId);
  },
  attended({ claude_code_session_attended: attended }: Facts) {
    if (attended === '1') return true;
    return attended === '0' ? false : null;
  },
} satisfies Dialect;
