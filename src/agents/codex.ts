import { claudeEvents } from './support/claude-events.ts';
import type { Dialect } from './support/dialect.ts';
import { always, turnEnd } from './support/readings.ts';
import { sha256 } from './support/sha256.ts';
import { toolIdentity } from './support/turn-identity.ts';

/** Codex CLI, hooks and `notify`: https://developers.openai.com/codex/hooks */
export default {
  agent: 'codex',
  events: {
    ...claudeEvents,
    interrupt: always('turn.interrupted'),
    'agent-turn-complete': turnEnd,
  },
  identity(payload, { kind, text }) {
    const { turnId, stopHookActive } = payload;
    if (kind !== 'turn.done' || turnId === null) return toolIdentity(payload);
    // One key for Stop and notify, since both come. Only a turn that a stop hook sent back to work ends anew.
    return stopHookActive ? ['turn', turnId, sha256(text ?? '')] : ['turn', turnId];
  },
} satisfies Dialect;
