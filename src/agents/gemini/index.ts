import type { Dialect } from '../support/dialect.ts';
import { geminiTranscript } from './gemini-transcript.ts';
import { registered } from '../support/registered-events.ts';
import { geminiVocabulary } from './vocabulary.ts';

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
  vocabulary: geminiVocabulary,
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
      windows: 'powershell',
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
  noticed: ['turn.failed', 'turn.interrupted'],
} satisfies Dialect;
