import { programEvents } from '../core/hand-made.ts';
import { isJsonObject } from '../platform/json.ts';
import { durationText } from '../text/duration.ts';
import { cutMiddle, joinedLines } from '../text/sanitize.ts';
import { claudeVocabulary } from './claude/vocabulary.ts';
import type { Dialect } from './support/dialect.ts';
import type { Payload } from './support/payload.ts';
import { permissionRequest } from './support/readings.ts';
import { type Meaning, means, type Vocabulary } from './support/vocabulary.ts';

const names: readonly string[] = Object.values(programEvents);

const programVocabulary: Vocabulary = {
  source: { npm: null, version: '2026-11-28', place: 'the commands of hookbell' },
  events: {
    [programEvents.notify]: means(
      'message',
      'a script or a person runs `hookbell notify`',
      notified,
    ),
    [programEvents.command]: means('message', 'a long command ended', commandEnded),
    [programEvents.tell]: means('message', 'an agent tells you something through MCP', told),
    [programEvents.ask]: means('needs.input', 'an agent asks through MCP', asked),
    [programEvents.over]: means('session.end', 'that question is over'),
  },
  notifications: {},
  also: [claudeVocabulary],
};

/** The events of `hookbell notify`, `run`, `shell-init` and `mcp`. */
export default {
  agent: 'program',
  name: 'a program',
  evidence: { proof: ({ hook_event_name: event }) => names.includes(event ?? '') },
  vocabulary: programVocabulary,
  traits: {
    passesBy: true,
    answers: { longestHoldMs: 86_400_000, takesQuestions: true, reportsAnswers: true },
  },
  registrations: [],
  trial: null,
  silentAbout: [],
} satisfies Dialect;

/** The title is the headline. Who waits for a reaction, or has an emergency, opens an alert. */
function notified({ notificationTitle, message, notificationType, wishes }: Payload): Meaning {
  const text = [notificationTitle, message].filter((part) => part !== null).join('\n');
  return {
    kind: wishes?.wait === true ? 'notice' : 'message',
    text: text === '' ? null : text,
    failed: notificationType === 'critical',
    wishes,
  };
}

function told({ message: text, notificationTitle: title, notificationType }: Payload): Meaning {
  const failed = notificationType === 'critical';
  return { kind: 'message', text, failed, ...(title !== null && { title }) };
}

/** Never a permission. */
function asked(payload: Payload): Meaning {
  return { ...permissionRequest(payload), kind: 'needs.input' };
}

const COMMAND_LENGTH = 60;

/** Such as "Failed: npm test (status 1, 4 min)", and the last line of its output. */
function commandEnded({ toolInput, status, toolMs, lastWords }: Payload): Meaning {
  const command = isJsonObject(toolInput) ? toolInput['command'] : null;
  const line = typeof command === 'string' ? joinedLines(command) : 'a command';
  const isDone = status === null || status === '0';
  const facts = [
    ...(isDone ? [] : [/^\d+$/.test(status) ? `status ${status}` : status]),
    ...(toolMs === null ? [] : [durationText(toolMs)]),
  ];
  const how = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  const text = `${isDone ? 'Done' : 'Failed'}: ${cutMiddle(line, COMMAND_LENGTH)}${how}`;
  return { kind: 'message', text: lastWords === null ? text : `${text}\n${lastWords}` };
}
