import type { HookFacts } from '../../core/facts.ts';
import { isWaiting } from '../../core/hook-event.ts';
import type { Dialect } from '../support/dialect.ts';
import type { Wire } from '../support/payload.ts';
import {
  commonEvents,
  registered,
  toolIdentity,
  turnIdentity,
} from '../support/registered-events.ts';
import { claudeWitness, sessionRecord } from './session-record.ts';
import { claudeVocabulary } from './vocabulary.ts';
import { z } from 'zod';
import { parseJson } from '../../platform/json.ts';

/** What Claude Code puts before the words of a hook that continues a session. */
const FEEDBACK = 'Stop hook feedback:\n';

/** A line of a transcript of Claude Code: the words of a hook, or what the model said. */
const Line = z.object({
  type: z.enum(['user', 'assistant']),
  timestamp: z.iso.datetime({ offset: true }),
  isSidechain: z.literal(false).optional(),
  isApiErrorMessage: z.literal(false).optional(),
  message: z.object({ content: z.unknown() }),
});

/**
 * Whether a transcript of Claude Code has exactly these words from a hook, and the model has said something since. The words are
 * written there before the model is asked, which may fail.
 *
 * @param tail its last lines
 * @param since Unix ms
 */
export function tookFeedback(tail: string, text: string, since: number): boolean {
  const at = tail.indexOf('Stop hook feedback');
  if (at === -1) return false;
  const lines = tail.slice(tail.lastIndexOf('\n', at) + 1).split('\n');
  let isThere = false;
  for (const line of lines) {
    const { data } = Line.safeParse(parseJson(line));
    if (data === undefined || Date.parse(data.timestamp) < since) continue;
    if (data.type === 'assistant' && isThere) return true;
    if (data.type === 'user' && data.message.content === `${FEEDBACK}${text}`) isThere = true;
  }
  return false;
}

/** The longest time that Claude Code lets a hook wait. */
const HOOK_TIMEOUT_S = 86_400;

/** Whether it may be a payload of Claude Code, which names no time, and the session that it names in the environment. */
function isLikeOurs(wire: Wire, ofHook: string | undefined): boolean {
  const { session_id: session, hookEventName, timestamp } = wire;
  const isAnother = session !== undefined && ofHook !== undefined && session !== ofHook;
  return hookEventName === undefined && timestamp === undefined && !isAnother;
}

/** Claude Code: https://docs.claude.com/en/docs/claude-code/hooks */
export default {
  agent: 'claude',
  name: 'Claude Code',
  evidence: {
    // droid imports its hooks; Cursor, Copilot CLI, Grok Build and VS Code run them.
    isRunByOthers: true,
    home: '.claude',
    // Where CLAUDE_CONFIG_DIR moves its transcripts. What it starts inherits the variable, but has separate sessions.
    proof: ({ session_id: session }, { claude_code_session_id: ofHook }) =>
      session !== undefined && session === ofHook,
    inherited: ({ claudecode, ai_agent: agent, claude_code_session_id: ofHook }, wire) => {
      const isSet = claudecode !== undefined || agent?.startsWith('claude-code') === true;
      return isSet && (wire === null || isLikeOurs(wire, ofHook));
    },
  },
  vocabulary: claudeVocabulary,
  identity(payload, meaning) {
    return toolIdentity(payload) ?? turnIdentity(payload, meaning, payload.promptId);
  },
  attended({ claude_code_session_attended: attended }: HookFacts) {
    if (attended === '1') return true;
    return attended === '0' ? false : null;
  },
  witness: claudeWitness,
  traits: {
    processes: {
      programs: ['claude'],
      packages: ['@anthropic-ai/claude-code'],
      variables: ['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_PID'],
    },
    refine(event) {
      // That it refuses is only known of what it is known to ask.
      if (!isWaiting(event.kind) || event.attended !== false || event.isUnknownType === true)
        return null;
      return {
        kind: 'activity',
        reason: 'the session is unattended, and the agent refuses automatically',
      };
    },
    asksAside: true,
    limitEnds: { goesOn: ['quota_auto_resume_fired'], waits: ['quota_auto_resume_stale'] },
    answers: {
      longestHoldMs: (HOOK_TIMEOUT_S - 10) * 1_000,
      takesQuestions: true,
      takesSuggestions: true,
      record: sessionRecord,
    },
    words: {
      documentOf: (text) => ({ decision: 'block', reason: text }),
      showsHook: true,
      tookWords: tookFeedback,
    },
  },
  registrations: [
    {
      movedBy: { variable: 'CLAUDE_CONFIG_DIR', directory: '.claude' },
      evidence: ['.claude', '.claude.json'],
      programs: ['claude'],
      files: [{ path: '.claude/settings.json', shape: 'wrapped' }],
      // The tool's failure is the only sign of a permission that was granted and whose tool then failed. The notification of a
      // server's form does not say what is asked.
      events: registered([
        ...commonEvents,
        'PermissionRequest',
        'Elicitation',
        'PostToolUseFailure',
        'StopFailure',
      ]),
      answers: { name: 'PermissionRequest', timeout: HOOK_TIMEOUT_S },
      rests: { name: 'Stop', timeout: HOOK_TIMEOUT_S },
      plugins: {
        installed: '.claude/plugins/installed_plugins.json',
        settings: ['.claude/settings.json', '.claude/settings.local.json'],
      },
      offBy: {
        files: ['.claude/settings.json', '.claude/settings.local.json'],
        key: 'disableAllHooks',
      },
      // Copilot CLI also runs the hooks in the settings of a repository, and may treat silence in this one as a refusal.
      // The notification that follows some seconds later reports the same question.
      userOnly: ['PermissionRequest'],
      // A hook without output makes `WorktreeCreate` fail, and any hook of `MessageDisplay` holds up the display.
      never: /^(?:WorktreeCreate|MessageDisplay)$/,
      windows: 'exec',
      afterwards: null,
    },
  ],
  trial: {
    headless: ['claude', '-p'],
    events: ['SessionStart', 'UserPromptSubmit', 'Stop'],
    closing: ['SessionEnd'],
  },
  silentAbout: ['turn.interrupted'],
  noticed: ['turn.interrupted'],
} satisfies Dialect;
