import type { Refinement } from '../../core/agent/agent-traits.ts';
import type { HookEvent } from '../../core/hook-event.ts';
import type { Session } from '../../core/session.ts';
import { copilotTranscript } from './copilot-transcript.ts';
import type { Dialect } from '../support/dialect.ts';
import type { Wire } from '../support/payload.ts';
import { registered, sameContent } from '../support/registered-events.ts';
import { copilotVocabulary, RECOVERABLE } from './vocabulary.ts';

/**
 * Copilot CLI: https://docs.github.com/en/copilot/reference/hooks-configuration. Hooks registered under camelCase names
 * get no event name in the payload: their command carries `--event`.
 */
export default {
  agent: 'copilot',
  name: 'Copilot CLI',
  evidence: {
    // VS Code runs the hooks of `.github/hooks` and `~/.copilot/hooks`.
    isRunByOthers: true,
    home: '.copilot',
    proof: isCopilot,
  },
  vocabulary: copilotVocabulary,
  // Hooks of the user, of the project and of the repository's `.claude/settings.json` all run, each once and with a
  // separate time; the last ones in the spelling of Claude Code.
  likeness: sameContent,
  transcript: copilotTranscript,
  traits: {
    processes: {
      programs: ['copilot'],
      packages: ['@github/copilot'],
      variables: ['COPILOT_CLI'],
    },
    refine: afterError,
  },
  registrations: [
    {
      movedBy: { variable: 'COPILOT_HOME', directory: '.copilot' },
      evidence: ['.copilot'],
      programs: ['copilot'],
      files: [
        {
          path: '.copilot/hooks/hookbell.json',
          projectPath: '.github/hooks/hookbell.json',
          shape: 'copilot',
        },
      ],
      events: registered([
        'sessionStart',
        'sessionEnd',
        'userPromptSubmitted',
        'postToolUse',
        // A refused request, or an allowed one that then fails, has no other end.
        'postToolUseFailure',
        'agentStop',
        'subagentStop',
        'errorOccurred',
        'notification',
      ]),
      offBy: { files: ['.copilot/settings.json'], key: 'disableAllHooks' },
      words: ['--agent', 'copilot'],
      saysEvent: true,
      // They answer for the person: a hook that fails is a refusal.
      never: /^(?:preToolUse|permissionRequest)$/i,
      windows: 'powershell',
      afterwards: 'Restart Copilot CLI',
    },
  ],
  trial: {
    headless: ['copilot', '-p'],
    events: ['sessionStart', 'userPromptSubmitted', 'agentStop'],
    closing: ['sessionEnd'],
  },
  silentAbout: ['turn.interrupted'],
} satisfies Dialect;

/**
 * Its own spelling has the time as a number. The hooks of a repository's `.claude/settings.json` are given Claude Code's spelling,
 * without its mode and, in most events, its transcript, but with a time as text, which Claude Code never sends:
 * https://docs.github.com/en/copilot/reference/hooks-reference
 */
function isCopilot(wire: Wire): boolean {
  if (wire.sessionId !== undefined) return typeof wire.timestamp === 'number';
  const isOther = wire.transcript_path !== undefined || wire.permission_mode !== undefined;
  return wire.session_id !== undefined && typeof wire.timestamp === 'string' && !isOther;
}

/** A retried request waits longer than this before it succeeds, ms. */
const GIVEN_UP_MS = 1_000;

/** Copilot CLI marks every error as recoverable, and sends no event when it gives up. */
function afterError({ kind, reason, at }: HookEvent, session: Session | null): Refinement | null {
  if (kind === 'turn.failed' && reason === RECOVERABLE) {
    return { kind: 'activity', reason: 'the agent retries the request' };
  }
  if (kind !== 'turn.done' || session?.lastKind !== 'turn.failed') return null;
  if (at - session.lastEventAt >= GIVEN_UP_MS) return null;
  return { kind: 'turn.failed', reason: 'its last request has just failed' };
}
