import { sha256 } from '../../platform/crypto.ts';
import { codexTranscript } from './codex-transcript.ts';
import type { Dialect } from '../support/dialect.ts';
import { registered, toolIdentity } from '../support/registered-events.ts';
import { codexVocabulary, NOTIFY, QUESTION_TOOL } from './vocabulary.ts';

/** The longest time that Codex CLI lets a hook wait. */
const HOOK_TIMEOUT_S = 3_600;

/** Codex CLI, hooks and `notify`: https://developers.openai.com/codex/hooks */
export default {
  agent: 'codex',
  name: 'Codex CLI',
  evidence: { home: '.codex', proof: (wire) => wire['thread-id'] !== undefined },
  vocabulary: codexVocabulary,
  runsElsewhere: true,
  transcript: codexTranscript,
  identity(payload, { kind, text }) {
    const { turnId, stopHookActive } = payload;
    if (kind !== 'turn.done' || turnId === null) return toolIdentity(payload);
    // One key for Stop and notify, because both arrive. Only a turn that a stop hook sent back to work ends again.
    return stopHookActive ? ['turn', turnId, sha256(text ?? '')] : ['turn', turnId];
  },
  traits: {
    processes: {
      programs: ['codex'],
      packages: ['@openai/codex'],
      variables: ['CODEX_CI', 'CODEX_SANDBOX', 'CODEX_THREAD_ID'],
    },
    // Threads that make a title or work for a session have no hooks, so only `notify` reports them.
    helperEvent: NOTIFY,
    answers: { longestHoldMs: (HOOK_TIMEOUT_S - 10) * 1_000 },
  },
  registrations: [
    {
      movedBy: { variable: 'CODEX_HOME', directory: '.codex' },
      evidence: ['.codex'],
      programs: ['codex'],
      files: [{ path: '.codex/hooks.json', shape: 'wrapped' }],
      events: [
        ...registered([
          'PermissionRequest',
          'Stop',
          'SubagentStop',
          'SessionStart',
          'UserPromptSubmit',
          'PostToolUse',
        ]),
        // Its only sign of a question.
        ...registered(['PreToolUse'], { matcher: QUESTION_TOOL }),
        // Codex gives these 1 s by default, and at most 3 s.
        ...registered(['SessionEnd', 'Interrupt'], { timeoutSeconds: 3 }),
      ],
      answers: { name: 'PermissionRequest', timeout: HOOK_TIMEOUT_S },
      words: ['--agent', 'codex'],
      windows: 'powershell',
      afterwards: 'In Codex type "/hooks" and trust them: untrusted hooks are skipped in silence',
    },
    {
      by: 'notify',
      movedBy: { variable: 'CODEX_HOME', directory: '.codex' },
      evidence: ['.codex'],
      programs: ['codex'],
      files: [{ path: '.codex/config.toml', projectPath: null, shape: 'codex-notify' }],
      events: registered([NOTIFY]),
      words: ['--agent', 'codex'],
      afterwards: null,
    },
  ],
  trial: {
    headless: ['codex', 'exec', '--skip-git-repo-check'],
    events: ['SessionStart', 'UserPromptSubmit', 'Stop', NOTIFY],
    closing: ['SessionEnd'],
  },
  silentAbout: ['turn.failed'],
  noticed: ['turn.failed'],
} satisfies Dialect;
