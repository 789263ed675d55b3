import type { Dialect } from './support/dialect.ts';
import { droidTranscript } from './support/droid-transcript.ts';
import {
  claudeEvents,
  commonEvents,
  registered,
  turnIdentity,
} from './support/registered-events.ts';

/** Factory droid: https://docs.factory.ai/reference/hooks-reference */
export default {
  agent: 'droid',
  events: claudeEvents,
  identity(payload, meaning) {
    return turnIdentity(payload, meaning, payload.messageId);
  },
  transcript: droidTranscript,
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
    lostHeadless: [],
  },
  silentAbout: ['turn.interrupted'],
} satisfies Dialect;
