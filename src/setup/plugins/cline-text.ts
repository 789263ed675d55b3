import { HANDED_OVER, handOverText, type PluginParts } from './hand-over-text.ts';

/** Without a dialog Cline starts a tool within some milliseconds of asking its plugins. */
const NO_DIALOG_MS = 500;

/**
 * A plugin of Cline. No event of Cline says that it asks for a permission: a call that its plugins have seen, and that does not
 * start, waits for the person. A question is a tool, which does start.
 */
export function clineText(parts: PluginParts): string {
  return `${handOverText('Cline', { ...parts, ask: null })}const asking = 'ask_question';
const pending = new Map();
let session;
let cwd;

function tell(event, snapshot, fields) {
  try {
    if (!program || !events.includes(event)) return;
    const { agentId, parentAgentId, conversationId } = snapshot;
    const told = { hook_event_name: event, session_id: session ?? conversationId, cwd, ...fields };
    if (parentAgentId) told.agent_id = agentId;
    hand(told);
  } catch {
    // The agent must not notice.
  }
}

function usual({ toolName, toolCallId }, input) {
  const { commands, question, options, ...others } = input ?? {};
  if (Array.isArray(commands)) others.command = commands.join('\\n');
  if (question) others.questions = [{ question, options }];
  return { tool_name: toolName, tool_use_id: toolCallId, tool_input: others };
}

function started(call) {
  clearTimeout(pending.get(call?.toolCallId));
  pending.delete(call?.toolCallId);
}

function wordsOf({ content } = {}) {
  const words = typeof content === 'string' ? content : content?.map?.(({ text }) => text ?? '').join('');
  return words?.replace(/^<user_input[^>]*>|<\\/user_input>$/g, '');
}
${HANDED_OVER}
export default {
  name: 'hookbell',
  manifest: { capabilities: ['hooks'] },
  setup(_, context) {
    session = context?.session?.sessionId ?? session;
    cwd = context?.workspaceInfo?.rootPath ?? cwd;
  },
  hooks: {
    beforeRun({ snapshot }) {
      const asked = snapshot.messages?.findLast?.(({ role }) => role === 'user');
      tell('beforeRun', snapshot, { prompt: wordsOf(asked) });
    },
    afterRun({ snapshot, result }) {
      for (const timer of pending.values()) clearTimeout(timer);
      pending.clear();
      const { status, outputText, error } = result;
      const failed = status === 'failed';
      const words = failed ? (error?.message ?? snapshot.lastError) : outputText;
      tell('afterRun', snapshot, { status: failed ? 'error' : status, last_assistant_message: words });
      return handedOver();
    },
    beforeTool({ snapshot, toolCall, input }) {
      const told = () => tell('beforeTool', snapshot, usual(toolCall, input));
      if (toolCall.toolName === asking) return told();
      const timer = setTimeout(told, ${NO_DIALOG_MS});
      timer.unref?.();
      pending.set(toolCall.toolCallId, timer);
    },
    afterTool({ snapshot, toolCall, input }) {
      started(toolCall);
      tell('afterTool', snapshot, usual(toolCall, input));
    },
    onEvent({ type, toolCall }) {
      if (type === 'tool-started') started(toolCall);
    },
  },
};
`;
}
