import { fileURLToPath } from 'node:url';

import type { LiveAgent } from './live-agent.ts';
import { furtherAgents } from './further-agents.ts';
import { allowing, quiet, usual } from './live-agent.ts';

/** Settings that Qwen Code has from Gemini CLI. */
function geminiSettings(selectedType: string) {
  return {
    security: { auth: { selectedType }, folderTrust: { enabled: false } },
    general: { enableAutoUpdate: false, disableAutoUpdate: true, maxAttempts: 2 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  };
}

/** An MCP server that asks the person. */
const orderServer = fileURLToPath(new URL('order-server.js', import.meta.url));

export const liveAgents: readonly LiveAgent[] = [
  {
    ...usual,
    agent: 'claude',
    npm: '@anthropic-ai/claude-code',
    version: '2.1.332',
    program: 'claude',
    env: ({ model }) => ({
      ...quiet,
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_AUTH_TOKEN: 'none',
      ANTHROPIC_MODEL: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    files: ({ home, projects }) => ({
      '.claude.json': {
        hasCompletedOnboarding: true,
        theme: 'dark',
        mcpServers: { shop: { type: 'stdio', command: process.execPath, args: [orderServer] } },
        projects: Object.fromEntries(
          projects.map((path) => [path, { hasTrustDialogAccepted: true }]),
        ),
      },
      // Without an explicit mode it would judge permissions itself ("auto").
      '.claude/settings.json': {
        permissions: { defaultMode: 'default', allow: ['mcp__shop__order', 'mcp__shop__pay'] },
        hooks: allowing(home),
      },
      '.claude/agents/tester.md':
        '---\nname: tester\ndescription: Runs the tests\n---\n\nYou run the tests.\n',
    }),
    interactive: ['--permission-mode', 'default'],
    resume: ['--continue', '--permission-mode', 'default'],
    ready: /\? for shortcuts|shift\+tab to cycle/,
    dialogs: [[/auto mode as my default/, 'Down', 'Enter']],
    asking: {
      permission: /Do you want to proceed\?/,
      question: /Enter to select/,
      plan: /Would you like to proceed\?|Exit plan mode\?/,
    },
    // After Esc it gives the prompt back to be edited.
    keys: { ...usual.keys, yes: ['1'], escape: ['Escape', 'C-u'], interrupt: ['C-c', 'C-u'] },
    commands: { ...usual.commands, exit: ['/exit', 'Enter'], planning: ['BTab', 'BTab'] },
  },
  {
    ...usual,
    agent: 'codex',
    npm: '@openai/codex',
    version: '0.171.0',
    program: 'codex',
    env: () => quiet,
    files: ({ home, model, projects }) => ({
      '.codex/hooks.json': { hooks: allowing(home) },
      '.codex/config.toml': `model = "scripted"
model_provider = "scripted"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "${model}/v1"
wire_api = "responses"
request_max_retries = 2
stream_max_retries = 0
[analytics]
enabled = false
${projects.map((path) => `[projects."${path}"]\ntrust_level = "trusted"\n`).join('')}`,
    }),
    // A person trusts the hooks once, by "/hooks".
    interactive: ['--dangerously-bypass-hook-trust'],
    resume: ['resume', '--last', '--dangerously-bypass-hook-trust'],
    headless: (prompt) => [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-hook-trust',
      prompt,
    ],
    ready: /\? for shortcuts/,
    dialogs: [
      [/Use existing model/, 'Down', 'Enter'],
      [/Press enter to continue/, 'Enter'],
    ],
    asking: {
      permission: /Would you like to (?:run|make)/,
      question: /to submit answer|enter to submit/,
      plan: /Implement this plan\?/,
    },
    keys: { ...usual.keys, yes: ['y'] },
    commands: { ...usual.commands, clear: ['/new', 'Enter'], asking: ['/plan', 'Enter'] },
  },
  {
    ...usual,
    agent: 'qwen',
    npm: '@qwen-code/qwen-code',
    version: '0.24.4',
    program: 'qwen',
    env: ({ model }) => ({
      ...quiet,
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: `${model}/v1`,
      OPENAI_MODEL: 'scripted',
      // It would start itself a second time.
      QWEN_CODE_NO_RELAUNCH: 'true',
    }),
    files: ({ home }) => ({
      '.qwen/settings.json': {
        ...geminiSettings('openai'),
        hooks: allowing(home),
        permissions: { allow: ['Agent'] },
      },
    }),
    interactive: ['--approval-mode', 'default'],
    resume: ['--continue', '--approval-mode', 'default'],
    ready: /Type your message/,
    asking: {
      ...usual.asking,
      permission: /Allow execution|Do you want to proceed\?|Yes, allow once/,
    },
    // After Esc it gives the prompt back to be edited.
    keys: { ...usual.keys, escape: ['Escape', 'C-u'] },
  },
  {
    ...usual,
    agent: 'opencode',
    npm: 'opencode-ai',
    version: '1.18.33',
    program: 'opencode',
    companion: { npm: '@opencode-ai/plugin', version: '1.18.33', folder: '.config/opencode' },
    env: () => ({
      ...quiet,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    }),
    files: ({ model }) => ({
      '.config/opencode/opencode.json': {
        autoupdate: false,
        share: 'disabled',
        model: 'scripted/scripted',
        small_model: 'scripted/scripted',
        permission: { bash: 'ask' },
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Scripted',
            options: { baseURL: `${model}/v1`, apiKey: 'none' },
            models: { scripted: { name: 'Scripted', tool_call: true } },
          },
        },
      },
    }),
    headless: (prompt) => ['run', prompt],
    ready: /Ask anything|ctrl\+p commands/,
    asking: { ...usual.asking, permission: /Permission required/ },
    keys: { ...usual.keys, escape: ['Escape', 'Escape'] },
    commands: {
      ...usual.commands,
      clear: ['/new', 'Enter'],
      exit: ['/exit', 'Enter'],
      planning: ['Tab'],
    },
  },
  {
    ...usual,
    agent: 'gemini',
    npm: '@google/gemini-cli',
    version: '0.61.0',
    program: 'gemini',
    env: ({ model }) => ({
      ...quiet,
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_MODEL: 'gemini-2.5-pro',
      // It would start itself a second time.
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
    files: () => {
      const settings = geminiSettings('gemini-api-key');
      const general = { ...settings.general, plan: { directory: 'plans' } };
      return {
        '.gemini/settings.json': { ...settings, general },
        // The model submits a plan by its file.
        'shop/plans/plan.md': '# Plan\n\n1. Write the file\n',
      };
    },
    resume: ['--resume'],
    ready: /Type your message/,
    asking: {
      ...usual.asking,
      permission: /Allow execution|Allow once/,
      plan: /Yes, manually accept edits/,
    },
  },
  {
    ...usual,
    agent: 'droid',
    // The package itself, `@factory/cli`, names a build that npm may not have.
    npm: '@factory/cli-linux-x64',
    version: '0.225.2',
    program: '../@factory/cli-linux-x64/bin/droid',
    env: () => ({
      ...quiet,
      FACTORY_API_KEY: 'fk-none',
      FACTORY_AIRGAP_ENABLED: 'true',
      FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false',
    }),
    files: ({ model }) => ({
      '.factory/settings.json': {
        customModels: [
          {
            model: 'scripted',
            id: 'custom:scripted-0',
            index: 0,
            displayName: 'scripted',
            baseUrl: model,
            apiKey: 'none',
            provider: 'anthropic',
            maxOutputTokens: 8192,
          },
        ],
        sessionDefaultSettings: { model: 'custom:scripted-0' },
        cloudSessionSync: false,
      },
    }),
    resume: ['--resume'],
    resumed: /Good evening|Let us begin/,
    headless: (prompt) => ['exec', '-m', 'custom:scripted-0', prompt],
    ready: /\? for help|for help/,
    dialogs: [
      [/Trust this folder\?/, 'Enter'],
      [/Current Folder[^]*Modified/, 'Enter'],
    ],
    asking: {
      ...usual.asking,
      permission: /Yes, allow/,
      plan: /Proceed with (?:implementation|the proposal|Manual Approvals)/,
    },
    // The first only says that another one ends the program.
    keys: { ...usual.keys, approve: ['Enter', 'Enter'], interrupt: ['C-c', 'C-c'] },
    commands: { ...usual.commands, planning: ['BTab'] },
  },
  {
    ...usual,
    agent: 'copilot',
    npm: '@github/copilot',
    version: '1.0.102',
    program: 'copilot',
    env: ({ model }) => ({
      ...quiet,
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: 'scripted',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    files: ({ projects }) => ({
      '.copilot/config.json': {
        trusted_folders: projects,
        trustedFolders: projects,
        banner: 'never',
      },
    }),
    ready: /Type @|for commands|\/ commands/,
    dialogs: [[/trust the files/, 'Enter']],
    asking: {
      permission: /Do you want to run this command\?/,
      question: /Copilot needs information/,
      plan: /Plan Ready for Review/,
    },
    // After Esc it gives the prompt back to be edited.
    keys: { ...usual.keys, yes: ['1'], escape: ['Escape', 'Escape', 'C-u'] },
    commands: { ...usual.commands, exit: ['/exit', 'Enter'], planning: ['BTab'] },
  },
  ...furtherAgents,
];
