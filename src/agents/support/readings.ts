import { z } from 'zod';

import type { Kind } from '../../core/hook-event.ts';
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

const Questions = z.object({
  questions: z.tuple([z.object({ question: z.string().min(1) })], z.unknown()),
});

export function permissionRequest({ tool, toolInput }: Payload): Meaning {
  const about = [tool, toolInput];
  if (tool !== 'AskUserQuestion') return { kind: 'needs.permission', text: null, about };
  const text = Questions.safeParse(toolInput).data?.questions[0].question ?? null;
  return { kind: 'needs.input', text, about };
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
