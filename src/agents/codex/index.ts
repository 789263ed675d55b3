import { z } from 'zod';

import { parseJson } from '../../platform/json.ts';
import { sha256 } from '../../platform/crypto.ts';
import { codexTranscript } from './codex-transcript.ts';
import type { Dialect, Meaning } from '../support/dialect.ts';
import type { Payload } from '../support/payload.ts';
import { always, permissionRequest, turnEnd } from '../support/readings.ts';
import { claudeEvents, registered, toolIdentity } from '../support/registered-events.ts';

const QUESTION_TOOL = 'request_user_input';
/** The event of `notify`. */
const NOTIFY = 'agent-turn-complete';
/** The longest time that Codex CLI lets a hook wait. */
const HOOK_TIMEOUT_S = 3_600;

/** Codex CLI, hooks and `notify`: https://developers.openai.com/codex/hooks */
export default {
  agent: 'codex',
  name: 'Codex CLI',
  evidence: { home: '.codex', proof: (wire) => wire['thread-id'] !== undefined },
  events: {
    ...claudeEvents,
    interrupt: always('turn.interrupted'),
    [NOTIFY]: notified,
    pretooluse: question,
  },
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
    lostHeadless: [],
  },
  silentAbout: ['turn.failed'],
} satisfies Dialect;

const Title = z.strictObject({ title: z.string().min(1) });

/** Codex generates the title of a session in a separate thread, whose last message is the title as JSON. */
function notified(payload: Payload): Meaning {
  const title = Title.safeParse(parseJson(payload.lastWords)).data?.title;
  return title === undefined ? turnEnd(payload) : { kind: 'activity', text: null, title };
}

function question(payload: Payload): Meaning {
  return payload.tool === QUESTION_TOOL
    ? permissionRequest(payload)
    : { kind: 'activity', text: null };
}
