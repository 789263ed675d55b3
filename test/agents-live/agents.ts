import type { LiveAgent } from './live-agent.ts';
import { allowing, quiet } from './live-agent.ts';

const claude: LiveAgent = {
  agent: 'claude',
  npm: '@anthropic-ai/claude-code',
  version: '2.1.330',
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
      projects: Object.fromEntries(
        projects.map((path) => [path, { hasTrustDialogAccepted: true }]),
      ),
    },
    // Without a mode of its own it would judge permissions itself ("auto").
    '.claude/settings.json': { permissions: { defaultMode: 'default' }, hooks: allowing(home) },
  }),
  interactive: ['--permission-mode', 'default'],
  resume: ['--continue', '--permission-mode', 'default'],
  headless: (prompt) => ['-p', prompt],
  ready: /\? for shortcuts|shift\+tab to cycle/,
  dialogs: [[/auto mode as my default/, 'Down', 'Enter']],
  asking: {
    permission: /Do you want to proceed\?/,
    question: /Enter to select/,
    plan: /Would you like to proceed\?|Exit plan mode\?/,
  },
  keys: {
    yes: ['1'],
    no: ['Escape'],
    answer: ['Enter'],
    approve: ['Enter'],
    escape: ['Escape'],
    interrupt: ['C-c'],
  },
  commands: {
    clear: ['/clear', 'Enter'],
    exit: ['/exit', 'Enter'],
    planning: ['BTab', 'BTab'],
    asking: [],
  },
};

const codex: LiveAgent = {
  agent: 'codex',
  npm: '@openai/codex',
  version: '0.169.0',
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
  keys: {
    yes: ['y'],
    no: ['Escape'],
    answer: ['Enter'],
    approve: ['Enter'],
    escape: ['Escape'],
    interrupt: ['C-c'],
  },
  commands: {
    clear: ['/new', 'Enter'],
    exit: ['/quit', 'Enter'],
    planning: ['/plan', 'Enter'],
    asking: ['/plan', 'Enter'],
  },
};

const qwen: LiveAgent = {
  agent: 'qwen',
  npm: '@qwen-code/qwen-code',
  version: '0.24.4',
  program: 'qwen',
  notYet: ['subagent', 'headless: a permission'],
  env: ({ model }) => ({
    ...quiet,
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: `${model}/v1`,
    OPENAI_MODEL: 'scripted',
  }),
  files: ({ home }) => ({
    '.qwen/settings.json': {
      hooks: allowing(home),
      security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    },
  }),
  interactive: ['--approval-mode', 'default'],
  resume: ['--continue', '--approval-mode', 'default'],
  headless: (prompt) => ['-p', prompt],
  ready: /Type your message/,
  dialogs: [],
  asking: {
    permission: /Allow execution|Do you want to proceed\?|Yes, allow once/,
    question: /Which database[^]*1\./,
    plan: /Would you like to proceed\?/,
  },
  keys: {
    yes: ['Enter'],
    no: ['Escape'],
    answer: ['Enter'],
    approve: ['Enter'],
    // It gives the prompt back to be edited.
    escape: ['Escape', 'C-u'],
    interrupt: ['C-c'],
  },
  commands: {
    clear: ['/clear', 'Enter'],
    exit: ['/quit', 'Enter'],
    planning: ['/plan', 'Enter'],
    asking: [],
  },
};

const gemini: LiveAgent = {
  agent: 'gemini',
  npm: '@google/gemini-cli',
  version: '0.61.0',
  program: 'gemini',
  notYet: ['subagent', 'plan'],
  env: ({ model }) => ({
    ...quiet,
    GEMINI_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: model,
    GEMINI_MODEL: 'gemini-2.5-pro',
  }),
  files: () => ({
    '.gemini/settings.json': {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    },
  }),
  interactive: [],
  resume: ['--resume'],
  headless: (prompt) => ['-p', prompt],
  ready: /Type your message/,
  dialogs: [],
  asking: {
    permission: /Allow execution|Allow once/,
    question: /Which database[^]*1\./,
    plan: /Would you like to proceed\?/,
  },
  keys: {
    yes: ['Enter'],
    no: ['Escape'],
    answer: ['Enter'],
    approve: ['Enter'],
    escape: ['Escape'],
    interrupt: ['C-c'],
  },
  commands: {
    clear: ['/clear', 'Enter'],
    exit: ['/quit', 'Enter'],
    planning: ['/plan', 'Enter'],
    asking: [],
  },
};

const opencode: LiveAgent = {
  agent: 'opencode',
  npm: 'opencode-ai',
  version: '1.18.33',
  program: 'opencode',
  companion: { npm: '@opencode-ai/plugin', version: '1.18.33', folder: '.config/opencode' },
  notYet: [
    'a long turn',
    'refused',
    'tried again',
    'subagent',
    'plan',
    'leaves',
    'taken up',
    'two sessions',
    'killed',
    'headless',
  ],
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
  interactive: [],
  resume: ['--continue'],
  headless: (prompt) => ['run', prompt],
  ready: /Ask anything|ctrl\+p commands/,
  dialogs: [],
  asking: {
    permission: /Permission required/,
    question: /Which database[^]*1\./,
    plan: /Would you like to proceed\?/,
  },
  keys: {
    yes: ['Enter'],
    no: ['Escape'],
    answer: ['Enter'],
    approve: ['Enter'],
    escape: ['Escape', 'Escape'],
    interrupt: ['C-c'],
  },
  commands: { clear: ['/new', 'Enter'], exit: ['/exit', 'Enter'], planning: ['Tab'], asking: [] },
};

const droid: LiveAgent = {
  agent: 'droid',
  npm: 'droid',
  version: '0.215.0',
  program: 'droid',
  notYet: ['subagent', 'plan', 'taken up'],
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
  interactive: [],
  resume: ['--resume'],
  headless: (prompt) => ['exec', '-m', 'custom:scripted-0', prompt],
  ready: /\? for help|for help/,
  dialogs: [[/Trust this folder\?/, 'Enter']],
  asking: {
    permission: /Yes, allow|Execute/,
    question: /Which database[^]*1\./,
    plan: /Proceed with implementation/,
  },
  keys: {
    yes: ['Enter'],
    no: ['Escape'],
    answer: ['Enter'],
    approve: ['Enter'],
    escape: ['Escape'],
    interrupt: ['C-c'],
  },
  commands: {
    clear: ['/clear', 'Enter'],
    exit: ['/quit', 'Enter'],
    planning: ['BTab'],
    asking: [],
  },
};

const copilot: LiveAgent = {
  agent: 'copilot',
  npm: '@github/copilot',
  version: '1.0.102',
  program: 'copilot',
  notYet: [
    'a long turn',
    'refused',
    'a question',
    'turn that fails',
    'tried again',
    'subagent',
    'plan',
    'leaves',
    'taken up',
    'two sessions',
    'killed',
    'headless: a long',
    'headless: a permission',
  ],
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
  interactive: [],
  resume: ['--continue'],
  headless: (prompt) => ['-p', prompt],
  ready: /Type @|for commands|\/ commands/,
  dialogs: [[/trust the files/, 'Enter']],
  asking: {
    permission: /Do you want to run this command\?/,
    question: /Which database[^]*1\./,
    plan: /Plan/,
  },
  keys: {
    yes: ['1'],
    no: ['Escape'],
    answer: ['Enter'],
    approve: ['Enter'],
    escape: ['Escape'],
    interrupt: ['C-c'],
  },
  commands: {
    clear: ['/clear', 'Enter'],
    exit: ['/exit', 'Enter'],
    planning: ['BTab'],
    asking: [],
  },
};

export const liveAgents: readonly LiveAgent[] = [
  claude,
  codex,
  qwen,
  opencode,
  gemini,
  droid,
  copilot,
];
