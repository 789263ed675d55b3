import { z } from 'zod';

import type { Asked } from '../core/asked.ts';
import { askedOf } from './support/read-asked.ts';
import type { Dialect, Meaning } from './support/dialect.ts';
import type { Payload } from './support/payload.ts';
import { always, turnEnd, turnFailure } from './support/readings.ts';
import { registered } from './support/registered-events.ts';

/** The plugin lets hookbell-ask wait this long. */
const HOLD_S = 86_400;

/** OpenCode, whose events our plugin forwards as `{type, properties}`: https://opencode.ai/docs/plugins */
export default {
  agent: 'opencode',
  name: 'OpenCode',
  evidence: {
    proof: ({ type, properties }) => type !== undefined && properties !== undefined,
  },
  events: {
    'session.created': always('session.start'),
    'session.deleted': always('session.end'),
    'session.idle': turnEnd,
    'session.error': sessionError,
    'message.updated': messageUpdated,
    'permission.asked': permissionAsked,
    'permission.updated': permissionAsked,
    'question.asked': questionAsked,
    // The request was answered, and the work continues.
    'permission.replied': replied,
    'question.replied': replied,
    'question.rejected': replied,
    // Its next generation: the permission is an action on resources, everything else is the same.
    'permission.v2.asked': permissionAsked,
    'permission.v2.replied': replied,
    'question.v2.asked': questionAsked,
    'question.v2.replied': replied,
    'question.v2.rejected': replied,
  },
  identity({ event, properties }) {
    // A message is updated many times, long after its prompt; only the first one is the prompt.
    const id = properties?.info?.id;
    return event === 'message.updated' && id !== undefined ? [event, id] : null;
  },
  traits: {
    processes: { programs: ['opencode'], packages: ['opencode-ai'], variables: ['OPENCODE'] },
    endsTwice: true,
    answers: {
      longestHoldMs: HOLD_S * 1_000,
      takesQuestions: true,
      reportsAnswers: true,
    },
    // Not `showsHook`: the plugin waits beside the session, and OpenCode does not display that.
    words: { documentOf: (text) => ({ prompt: text }) },
  },
  registrations: [
    {
      evidence: ['.config/opencode', '.opencode'],
      programs: ['opencode'],
      files: [
        {
          path: '.config/opencode/plugins/hookbell.js',
          projectPath: '.opencode/plugins/hookbell.js',
          shape: 'opencode-plugin',
        },
      ],
      events: registered([
        'session.created',
        'session.deleted',
        'session.idle',
        'session.error',
        'message.updated',
        'permission.asked',
        'permission.updated',
        'question.asked',
        'permission.replied',
        'question.replied',
        'question.rejected',
        'permission.v2.asked',
        'permission.v2.replied',
        'question.v2.asked',
        'question.v2.replied',
        'question.v2.rejected',
      ]),
      answers: { name: 'permission.asked', timeout: HOLD_S },
      words: ['--agent', 'opencode'],
      afterwards: 'Restart OpenCode: it loads its plugins once at start',
    },
  ],
  trial: {
    headless: ['opencode', 'run'],
    events: ['session.created', 'message.updated', 'session.idle'],
    closing: [],
    lostHeadless: [],
  },
  silentAbout: [],
} satisfies Dialect;

function sessionError(payload: Payload): Meaning {
  const { agentId, errorName: reason } = payload;
  const failure = turnFailure(payload);
  const isInterrupted = agentId === null && reason === 'MessageAbortedError';
  return isInterrupted ? { ...failure, kind: 'turn.interrupted' } : failure;
}

function messageUpdated({ properties }: Payload): Meaning {
  return { kind: properties?.info?.role === 'user' ? 'prompt' : 'activity', text: null };
}

/** The id of the request. */
function replied({ requestId }: Payload): Meaning {
  return { kind: 'tool.done', text: null, ...(requestId !== null && { about: requestId }) };
}

/** A permission names what it is for, and with `metadata` how: `{command}` of a shell, `{filepath, diff}` of an edit. */
function permissionAsked({ properties, requestId, cwd }: Payload): Meaning {
  const permission = properties?.permission ?? properties?.action;
  const patterns = properties?.patterns ?? properties?.resources;
  return {
    kind: 'needs.permission',
    text: null,
    about: requestId ?? [permission, patterns],
    asked: permitted(permission ?? null, { metadata: properties?.metadata, patterns }, cwd),
  };
}

const Metadata = z.object({
  command: z.string().optional().catch(undefined),
  filepath: z.string().optional().catch(undefined),
  url: z.string().optional().catch(undefined),
});
const Patterns = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

function permitted(
  permission: string | null,
  { metadata, patterns }: { readonly metadata: unknown; readonly patterns: unknown },
  cwd: string | null,
): Asked | null {
  if (permission === null) return null;
  const { command, filepath, url } = Metadata.safeParse(metadata).data ?? {};
  const [pattern] = Patterns.safeParse(patterns).data ?? [];
  const input = {
    command: command ?? pattern,
    file_path: filepath ?? pattern,
    url: url ?? pattern,
    query: pattern,
  };
  return askedOf(permission, input, cwd);
}

function questionAsked({ properties, requestId, cwd }: Payload): Meaning {
  const asked = askedOf('askuserquestion', { questions: properties?.questions }, cwd);
  const isRead = asked?.action === 'answer';
  return {
    kind: 'needs.input',
    text: isRead ? asked.text : null,
    asked: isRead ? asked : null,
    ...(requestId !== null && { about: requestId }),
  };
}
