import type { Kind } from '../../core/hook-event.ts';
import { askedOf } from './asked.ts';
import type { Meaning, Reading } from './dialect.ts';
import type { Payload } from './payload.ts';

/** An event whose name says it all. */
export function always(kind: Kind): Reading {
  return () => ({ kind, text: null });
}

export function sessionEnd({ reason }: Payload): Meaning {
  return { kind: 'session.end', text: null, reason };
}

/** Sources of a turn that nobody typed (Claude Code). */
const machineSources: readonly string[] = [
  'system',
  'loop_wakeup',
  'schedule_wakeup',
  'poll_event',
];

export function prompt({ prompt: text, source }: Payload): Meaning {
  // Qwen repeats the event without a text after each tool result.
  const isTyped = text !== null && !machineSources.includes(source ?? '');
  return { kind: isTyped ? 'prompt' : 'activity', text };
}

/** A turn is over: Stop, AfterAgent, notify. */
export function turnEnd({ agentId, hasBackgroundTasks, lastWords: text }: Payload): Meaning {
  if (agentId !== null) return { kind: 'subagent.done', text };
  // The turn pauses until the background work reports, then goes on and stops again.
  if (hasBackgroundTasks) return { kind: 'activity', text, backgroundWork: true };
  return { kind: 'turn.done', text };
}

export function turnFailure(payload: Payload): Meaning {
  return {
    kind: payload.agentId === null ? 'turn.failed' : 'subagent.done',
    text: payload.lastWords ?? payload.errorDetails ?? payload.errorText,
    reason: payload.errorName,
  };
}

export function subagentStop({ agentType, lastWords: text }: Payload): Meaning {
  // Compaction in Claude Code fires two of these with an empty type and without any subagent.
  return { kind: agentType === '' ? 'activity' : 'subagent.done', text };
}

export function toolFailure({ errorText: text }: Payload): Meaning {
  return { kind: 'tool.done', text };
}

export function elicitation({ message: text }: Payload): Meaning {
  return { kind: 'needs.input', text };
}

/** Tools that ask the person something instead of a permission. */
const questionTools: readonly string[] = [
  'askuserquestion',
  'ask_user_question',
  'askuser',
  'request_user_input',
];

export function permissionRequest({ tool, toolInput, cwd }: Payload): Meaning {
  const about = [tool, toolInput];
  const asked = askedOf(tool, toolInput, cwd);
  if (!questionTools.includes(tool?.toLowerCase() ?? '')) {
    return { kind: 'needs.permission', text: null, asked, about };
  }
  const text = asked?.action === 'answer' ? (asked.text.split('\n')[0] ?? null) : null;
  return { kind: 'needs.input', text, asked, about };
}

export function notification({ notificationType, message: text }: Payload): Meaning {
  return { kind: notificationKind(notificationType, text), text };
}

/** https://docs.claude.com/en/docs/claude-code/hooks#notification; `ToolPermission` is Gemini's. Others are news only. */
const notificationKinds: ReadonlyMap<string, Kind> = new Map([
  ['permission_prompt', 'needs.permission'],
  ['ToolPermission', 'needs.permission'],
  ['idle_prompt', 'needs.input'],
  ['agent_idle', 'needs.input'],
  ['agent_needs_input', 'needs.input'],
  ['elicitation_dialog', 'needs.input'],
  ['elicitation_url_dialog', 'needs.input'],
  ['agent_completed', 'subagent.done'],
]);

/** Without a type (droid, older Claude Code) the text decides, and whatever it says somebody is waited for. */
function notificationKind(type: string | null, text: string | null): Kind {
  if (type !== null) return notificationKinds.get(type) ?? 'activity';
  return /needs your (?:permission|approval)/i.test(text ?? '')
    ? 'needs.permission'
    : 'needs.input';
}
