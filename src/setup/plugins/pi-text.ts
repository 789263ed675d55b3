import { HANDED_OVER, handOverText, type PluginParts } from './hand-over-text.ts';

/** An extension of Pi, which passes its events on. It answers nothing: Pi takes what a handler does not return as consent. */
export function piText(parts: PluginParts): string {
  return `${handOverText('Pi', { ...parts, ask: null })}let last = null;

function tell(event, ctx, fields) {
  try {
    if (!program || !events.includes(event)) return;
    const { sessionManager, cwd } = ctx;
    const session_id = sessionManager.getSessionId();
    const session_title = sessionManager.getSessionName();
    hand({ hook_event_name: event, session_id, session_title, cwd, ...fields });
  } catch {
    // The agent must not notice.
  }
}

function ending(aborted) {
  const { content, stopReason, errorMessage } = last ?? {};
  const spoken = Array.isArray(content) ? content.flatMap(({ text }) => text ?? []).join('\\n') : '';
  const failed = stopReason === 'error';
  return {
    status: aborted === true || stopReason === 'aborted' ? 'aborted' : failed ? 'error' : 'completed',
    last_assistant_message: failed ? errorMessage : spoken,
  };
}
${HANDED_OVER}
export default function hookbell(pi) {
  pi.on('session_start', ({ reason }, ctx) => tell('session_start', ctx, { source: reason }));
  pi.on('session_shutdown', ({ reason }, ctx) => {
    tell('session_shutdown', ctx, { reason });
    return handedOver();
  });
  pi.on('before_agent_start', ({ prompt }, ctx) => {
    last = null;
    tell('before_agent_start', ctx, { prompt });
  });
  pi.on('agent_end', ({ messages }) => {
    last = messages?.findLast?.(({ role }) => role === 'assistant') ?? null;
  });
  pi.on('agent_settled', ({ aborted }, ctx) => tell('agent_settled', ctx, ending(aborted)));
  pi.on('tool_result', ({ toolName, toolCallId, input }, ctx) =>
    tell('tool_result', ctx, { tool_name: toolName, tool_use_id: toolCallId, tool_input: input }),
  );
  pi.on('ui_prompt_start', ({ title }, ctx) => tell('ui_prompt_start', ctx, { message: title }));
  pi.on('ui_prompt_end', (_, ctx) => tell('ui_prompt_end', ctx, {}));
}
`;
}
