import { z } from 'zod';

import type { Asked } from '../../core/asked.ts';
import type { Payload } from '../support/payload.ts';
import { askedOf } from '../support/read-asked.ts';
import { notification, prompt, sessionEnd, turnEnd } from '../support/readings.ts';
import { type Meaning, type Vocabulary, means } from '../support/vocabulary.ts';
import { WITHOUT_ANSWER } from './gemini-transcript.ts';

export const geminiVocabulary: Vocabulary = {
  source: {
    npm: '@google/gemini-cli',
    version: '0.61.0',
    place: 'the enumerations of hook events and of types of notification',
  },
  events: {
    SessionStart: means('session.start', 'a session begins, is resumed or cleared'),
    SessionEnd: means('session.end', 'a session ends', sessionEnd),
    BeforeAgent: means('prompt', 'a prompt is submitted', prompt),
    AfterTool: means('tool.done', 'a tool has run'),
    AfterAgent: means('turn.done', 'a turn ends, also a failed one', agentEnd),
    Notification: means('needs.input', 'it needs the person: see its types', toolPermission),
    BeforeTool: means('activity', 'a tool is about to run'),
    PreCompress: means('activity', 'the conversation may be compacted'),
    BeforeModel: means('activity', 'the model is about to be called; never registered'),
    AfterModel: means('activity', 'a part of an answer has arrived; never registered'),
    BeforeToolSelection: means('activity', 'the model is about to choose a tool; never registered'),
  },
  notifications: {
    ToolPermission: means(
      'needs.permission',
      'a tool needs a permission; a question comes as a permission for the tool that asks',
    ),
  },
  also: [],
};

function toolPermission(payload: Payload, vocabulary: Vocabulary): Meaning {
  const meaning = notification(payload, vocabulary);
  // A question comes as a permission for the tool that asks it, without its words.
  if (
    meaning.kind === 'needs.permission' &&
    Details.safeParse(payload.details).data?.type === 'ask_user'
  ) {
    return { kind: 'needs.input', text: null, about: payload.details };
  }
  const asked = meaning.kind === 'needs.permission' ? askedIn(payload) : null;
  return { ...meaning, asked, ...(asked !== null && { about: payload.details }) };
}

/** As `toSerializableDetails` in packages/core/src/hooks/hookSystem.ts of Gemini CLI writes it. */
const Details = z.discriminatedUnion('type', [
  z.object({ type: z.literal('exec'), command: z.string().min(1) }),
  z.object({
    type: z.literal('edit'),
    filePath: z.string().min(1),
    originalContent: z.string().nullish(),
    newContent: z.string().nullish(),
  }),
  z.object({ type: z.literal('mcp'), serverName: z.string(), toolName: z.string() }),
  z.object({ type: z.literal('ask_user') }),
  z.object({ type: z.literal('exit_plan_mode') }),
  z.object({ type: z.literal('info'), prompt: z.string(), urls: z.array(z.string()).nullish() }),
]);

function askedIn({ details, cwd }: Payload): Asked | null {
  const { data } = Details.safeParse(details);
  switch (data?.type) {
    case 'exec':
      return askedOf('run_shell_command', data, cwd);
    case 'edit': {
      const { filePath, originalContent, newContent } = data;
      const isNew = (originalContent ?? '') === '';
      return isNew
        ? askedOf('write_file', { file_path: filePath, content: newContent ?? '' }, cwd)
        : askedOf(
            'replace',
            { file_path: filePath, old_string: originalContent, new_string: newContent ?? '' },
            cwd,
          );
    }
    case 'mcp':
      return askedOf(`mcp__${data.serverName}__${data.toolName}`, {}, cwd);
    case 'info':
      return askedOf('web_fetch', { url: data.urls?.[0], prompt: data.prompt }, cwd);
    case 'exit_plan_mode':
      return askedOf('exit_plan_mode', {}, cwd);
    case 'ask_user':
    case undefined:
      return null;
  }
}

/** Gemini CLI's placeholder for a turn without an answer. */
const NO_ANSWER = '[no response text]';

/** Gemini CLI reports failed and interrupted turns as finished: the transcript distinguishes them. */
function agentEnd(payload: Payload): Meaning {
  const meaning = turnEnd(payload);
  return meaning.text === NO_ANSWER ? { ...meaning, text: WITHOUT_ANSWER } : meaning;
}
