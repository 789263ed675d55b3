import { HANDED_OVER, handOverText, type PluginParts } from './hand-over-text.ts';

/** A plugin of Amp, which runs tools without asking: turns, their ends and tools are all that it reports. */
export function ampText(parts: PluginParts): string {
  return `${handOverText('Amp', { ...parts, ask: null })}
function tell(event, { thread }, cwd, fields) {
  try {
    if (program && events.includes(event)) hand({ hook_event_name: event, session_id: thread.id, cwd, ...fields });
  } catch {
    // The agent must not notice.
  }
}

function said(messages) {
  const { content } = messages?.findLast?.(({ role }) => role === 'assistant') ?? {};
  return Array.isArray(content) ? content.flatMap(({ text }) => text ?? []).join('\\n') : content;
}
${HANDED_OVER}
export default function hookbell(amp) {
  const root = amp.system?.workspaceRoot;
  const cwd = root ? amp.helpers.filePathFromURI(root) : undefined;
  amp.on('session.start', (event) => tell('session.start', event, cwd, {}));
  amp.on('agent.start', (event) => {
    tell('agent.start', event, cwd, { prompt: event.message });
    return {};
  });
  amp.on('tool.result', (event) => {
    const { tool, toolUseID, input, status } = event;
    tell('tool.result', event, cwd, { tool_name: tool, tool_use_id: toolUseID, tool_input: input, status });
  });
  amp.on('agent.end', (event) => {
    const status = event.status === 'cancelled' ? 'aborted' : event.status;
    tell('agent.end', event, cwd, { status, last_assistant_message: said(event.messages) });
  });
  amp.onDispose?.(() => handedOver());
}
`;
}
