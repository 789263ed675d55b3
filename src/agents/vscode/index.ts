import type { Dialect } from '../support/dialect.ts';
import { registered, sameContent, toolIdentity } from '../support/registered-events.ts';
import { vscodeVocabulary } from './vocabulary.ts';

/** Where VS Code, and its server on another machine, keep what belongs to a workspace. */
const workspaceStorage = /[/\\]workspaceStorage[/\\]/;

/**
 * VS Code's own agent (the "Local" harness), which runs the hooks of `.github/hooks`, of Copilot CLI's directory and of Claude
 * Code's settings: https://code.visualstudio.com/docs/agent-customization/hooks. Built from its documentation; it has no
 * event for a permission or a question. Its key `windows` has the same unnamed shell as `command`, whose line suits either shell.
 */
export default {
  agent: 'vscode',
  name: "VS Code's agent",
  evidence: {
    // Copilot CLI reads its files.
    isRunByOthers: true,
    proof: (wire, { vscode }) =>
      wire.hookEventName !== undefined &&
      wire.hook_event_name === undefined &&
      wire.sessionId !== undefined &&
      typeof wire.timestamp === 'string' &&
      (wire.transcript_path === undefined
        ? vscode !== undefined
        : workspaceStorage.test(wire.transcript_path)),
  },
  vocabulary: vscodeVocabulary,
  identity: toolIdentity,
  // The hooks of all files run one after the other, each with its own directory.
  likeness: sameContent,
  traits: {},
  registrations: [
    {
      evidence: ['.config/Code', '.vscode', 'Library/Application Support/Code'],
      programs: ['code'],
      files: [
        {
          path: '.copilot/hooks/hookbell-vscode.json',
          projectPath: '.github/hooks/hookbell-vscode.json',
          shape: 'vscode',
        },
      ],
      events: registered([
        'SessionStart',
        'UserPromptSubmit',
        'PostToolUse',
        'SubagentStop',
        'Stop',
      ]),
      words: ['--agent', 'vscode'],
      never: /^PreToolUse$/,
      afterwards: null,
    },
  ],
  trial: null,
  silentAbout: ['needs.permission', 'needs.input', 'turn.failed', 'turn.interrupted'],
} satisfies Dialect;
