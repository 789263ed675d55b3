import { z } from 'zod';

import type { Asked } from '../../core/asked.ts';
import { askedOf } from '../support/read-asked.ts';
import type { Dialect, Meaning } from '../support/dialect.ts';
import { geminiTranscript, WITHOUT_ANSWER } from './gemini-transcript.ts';
import type { Payload } from '../support/payload.ts';
import { always, notification, prompt, sessionEnd, turnEnd } from '../support/readings.ts';
import { registered } from '../support/registered-events.ts';

/** Gemini CLI: https://geminicli.com/docs/hooks/reference */
export default {
  agent: 'gemini',
  name: 'Gemini CLI',
  evidence: {
    home: '.gemini',
    // Qwen Code sets the variable as well, with another one.
    variable: ({ gemini_project_dir: directory, qwen_project_dir: ofQwen }) =>
      directory !== undefined && ofQwen === undefined,
  },
  events: {
    sessionstart: always('session.start'),
    sessionend: sessionEnd,
    beforeagent: prompt,
    aftertool: always('tool.done'),
    afteragent: agentEnd,
    notification: toolPermission,
  },
  transcript: geminiTranscript,
  traits: {
    processes: {
      programs: ['gemini'],
      packages: ['@google/gemini-cli'],
      variables: ['GEMINI_CLI'],
    },
  },
  registrations: [
    {
      evidence: ['.gemini'],
      programs: ['gemini'],
      files: [{ path: '.gemini/settings.json', shape: 'wrapped' }],
      events: registered([
        'AfterAgent',
        'Notification',
        'SessionStart',
        'SessionEnd',
        'BeforeAgent',
        // Once per tool: its run is the only sign of a permission that was granted.
        'AfterTool',
      ]),
      words: ['--agent', 'gemini'],
      timeoutUnit: 'milliseconds',
      // They hold up every call of the model, or every piece of its answer.
      never: /^(?:BeforeModel|AfterModel|BeforeToolSelection)$/,
      afterwards: 'Restart Gemini CLI',
    },
  ],
  trial: {
    headless: ['gemini', '-p'],
    events: ['SessionStart', 'BeforeAgent', 'AfterAgent'],
    closing: ['SessionEnd'],
    lostHeadless: ['SessionEnd'],
  },
  silentAbout: ['turn.failed', 'turn.interrupted', 'subagent.done'],
} satisfies Dialect;

function toolPermission(payload: Payload): Meaning {
  const meaning = notification(payload);
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
