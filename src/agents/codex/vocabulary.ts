import { z } from 'zod';

import { parseJson } from '../../platform/json.ts';
import { claudeVocabulary } from '../claude/vocabulary.ts';
import type { Payload } from '../support/payload.ts';
import { questionAhead, turnEnd } from '../support/readings.ts';
import { type Meaning, type Vocabulary, wordsFrom, means } from '../support/vocabulary.ts';

export const QUESTION_TOOL = 'request_user_input';
/** The event of `notify`. */
export const NOTIFY = 'agent-turn-complete';

/** Codex CLI has the hooks of Claude Code, but sends no notification. */
export const codexVocabulary: Vocabulary = {
  source: {
    npm: '@openai/codex',
    version: '0.171.0',
    place: 'the schemas of what hooks receive',
  },
  events: {
    ...wordsFrom(
      claudeVocabulary.events,
      `
      SessionStart SessionEnd UserPromptSubmit PostToolUse Stop SubagentStop
      PermissionRequest SubagentStart PreCompact PostCompact
    `,
    ),
    PreToolUse: means(
      'activity',
      `a tool is about to run; of \`${QUESTION_TOOL}\`, its only sign of a question`,
      questionAhead,
    ),
    Interrupt: means('turn.interrupted', 'the person interrupts a turn'),
    [NOTIFY]: means('turn.done', 'a turn ends, reported by `notify`', notified),
  },
  notifications: {},
  also: [claudeVocabulary],
};

const Title = z.strictObject({ title: z.string().min(1) });

/** Codex generates the title of a session in a separate thread, whose last message is the title as JSON. */
function notified(payload: Payload): Meaning {
  const title = Title.safeParse(parseJson(payload.lastWords)).data?.title;
  return title === undefined ? turnEnd(payload) : { kind: 'activity', text: null, title };
}
