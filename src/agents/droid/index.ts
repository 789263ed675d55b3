import type { Refinement } from '../../core/agent/agent-traits.ts';
import type { HookFacts } from '../../core/facts.ts';
import type { HookEvent } from '../../core/hook-event.ts';
import type { Session } from '../../core/session.ts';
import type { Dialect } from '../support/dialect.ts';
import { droidTranscript } from './droid-transcript.ts';
import type { Wire } from '../support/payload.ts';
import { commonEvents, registered, turnIdentity } from '../support/registered-events.ts';
import { droidVocabulary } from './vocabulary.ts';

/** Factory droid: https://docs.factory.ai/reference/hooks-reference */
export default {
  agent: 'droid',
  name: 'droid',
  evidence: {
    home: '.factory',
    // For its transcripts in another directory.
    proof: (wire, facts) =>
      hasVariable(facts) && (wire.message_id !== undefined || hasOwnMode(wire)),
    variable: hasVariable,
    values: hasOwnMode,
  },
  vocabulary: droidVocabulary,
  identity(payload, meaning) {
    return turnIdentity(payload, meaning, payload.messageId);
  },
  transcript: droidTranscript,
  traits: {
    processes: { programs: ['droid'], variables: ['DROID_PROJECT_DIR'] },
    refine: endOfTurn,
    idlesPromptly: true,
    hidesCaller: true,
  },
  // If hooks.json exists, it replaces the hooks in settings.json; it is a bare map of events.
  registrations: [
    {
      evidence: ['.factory'],
      programs: ['droid'],
      files: [
        { path: '.factory/hooks.json', shape: 'bare' },
        { path: '.factory/settings.json', shape: 'wrapped' },
      ],
      events: registered(commonEvents),
      offBy: {
        files: ['.factory/settings.json', '.factory/settings.local.json'],
        key: 'hooksDisabled',
      },
      plugins: {
        installed: '.factory/plugins/installed_plugins.json',
        settings: ['.factory/settings.json', '.factory/settings.local.json'],
      },
      afterwards: 'Restart droid: it reads its hooks once at start',
    },
  ],
  trial: {
    headless: ['droid', 'exec'],
    events: ['SessionStart', 'UserPromptSubmit', 'Stop'],
    closing: ['SessionEnd'],
  },
  silentAbout: ['turn.interrupted'],
  noticed: ['turn.interrupted'],
} satisfies Dialect;

function hasVariable({ droid_project_dir: own, factory_project_dir: other }: HookFacts): boolean {
  return own !== undefined || other !== undefined;
}

function hasOwnMode({ permission_mode: mode, permissionMode }: Wire): boolean {
  return /^(?:off|spec|auto-.*)$/.test(mode ?? permissionMode ?? '');
}

/** The first prompt of a subagent; only the start of its session names the session that called it. */
const taskPrompt = /^# Task Tool Invocation\b/;

function endOfTurn({ kind }: HookEvent, session: Session | null): Refinement | null {
  if (session === null || (kind !== 'turn.done' && kind !== 'turn.failed')) return null;
  if (taskPrompt.test(session.firstPrompt ?? '')) {
    return { kind: 'subagent.done', reason: 'the session works on a task of another session' };
  }
  if (kind !== 'turn.done' || session.state !== 'ended') return null;
  return { kind: 'activity', reason: 'the user left the session while the turn ran' };
}
