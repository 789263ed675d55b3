import type { LiveAgent } from './live-agent.ts';
import { newerNode, quiet, usual } from './live-agent.ts';

/** A package that Kilo would install at its start, for which no network is needed if it seems to be there. */
function installedForKilo(npm: string, version: string): Readonly<Record<string, object>> {
  const dependencies = { [npm]: version };
  const packages = { '': { dependencies }, [`node_modules/${npm}`]: { version } };
  return {
    '.config/kilo/package.json': { dependencies },
    '.config/kilo/package-lock.json': { lockfileVersion: 3, requires: true, packages },
    [`.config/kilo/node_modules/${npm}/package.json`]: { name: npm, version },
  };
}

/** Agents that have only the rows that all have: nothing is answered in them from elsewhere. */
export const furtherAgents: readonly LiveAgent[] = [
  {
    ...usual,
    agent: 'kimi',
    npm: '@moonshot-ai/kimi-code',
    version: '2.1.0',
    program: 'kimi',
    node: newerNode,
    env: () => quiet,
    files: ({ model }) => ({
      '.kimi-code/config.toml': `default_model = "scripted"
telemetry = false

[models.scripted]
provider = "scripted"
model = "scripted"
max_context_size = 100000

[providers.scripted]
type = "openai"
base_url = "${model}/v1"
api_key = "none"
`,
    }),
    ready: /Welcome to Kimi Code[^]*│ > /,
    dialogs: [[/Trust this folder\?/, 'Enter']],
    asking: {
      permission: /▶ 1\. Approve once/,
      question: /Which database[^]*SQLite/,
      plan: /Approve/,
    },
    keys: { ...usual.keys, answer: ['1', '1'] },
    commands: { ...usual.commands, clear: ['/new', 'Enter'], exit: ['/exit', 'Enter'] },
  },
  {
    ...usual,
    agent: 'pi',
    npm: '@earendil-works/pi-coding-agent',
    version: '1.6.0',
    program: 'pi',
    node: newerNode,
    env: () => ({ ...quiet, PI_OFFLINE: '1', PI_TELEMETRY: '0', PI_SKIP_VERSION_CHECK: '1' }),
    files: ({ model }) => ({
      '.pi/agent/models.json': {
        providers: {
          scripted: {
            baseUrl: `${model}/v1`,
            apiKey: 'none',
            api: 'openai-completions',
            models: [{ id: 'scripted', name: 'Scripted' }],
          },
        },
      },
      '.pi/agent/settings.json': { defaultProvider: 'scripted', defaultModel: 'scripted' },
      // It asks for no permission by itself.
      '.pi/agent/extensions/gate.js': `export default function (pi) {
  pi.on('tool_call', async ({ toolName, input }, ctx) => {
    if (toolName !== 'bash') return undefined;
    const isAllowed = ctx.hasUI && (await ctx.ui.confirm('Run "' + input.command + '"?', 'It changes files'));
    return isAllowed ? undefined : { block: true, reason: 'It was refused' };
  });
}
`,
    }),
    ready: /\(auto\)/,
    asking: { ...usual.asking, permission: /It changes files/ },
    commands: { ...usual.commands, clear: ['/new', 'Enter'] },
  },
  {
    ...usual,
    agent: 'kilo',
    // The package itself, `@kilocode/cli`, names a build that npm may not have.
    npm: '@kilocode/cli-linux-x64',
    version: '7.7.9',
    program: '../@kilocode/cli-linux-x64/bin/kilo',
    env: () => ({
      ...quiet,
      KILO_DISABLE_AUTOUPDATE: '1',
      KILO_DISABLE_MODELS_FETCH: '1',
      KILO_DISABLE_LSP_DOWNLOAD: '1',
      KILO_DISABLE_DEFAULT_PLUGINS: '1',
      KILO_DISABLE_SESSION_INGEST: '1',
    }),
    files: ({ model }) => ({
      '.config/kilo/kilo.json': {
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
      ...installedForKilo('@kilocode/plugin', '7.7.9'),
    }),
    headless: (prompt) => ['run', prompt],
    ready: /Ask anything|ctrl\+p commands/,
    asking: { ...usual.asking, permission: /Permission required/ },
    keys: { ...usual.keys, no: ['Escape', 'Enter'], escape: ['Escape', 'Escape'] },
    commands: {
      ...usual.commands,
      clear: ['/new', 'Enter'],
      exit: ['/exit', 'Enter'],
      planning: ['Tab'],
    },
  },
  {
    ...usual,
    agent: 'grok',
    npm: '@xai-official/grok',
    version: '1.0.41',
    program: 'grok',
    env: () => quiet,
    files: ({ model }) => ({
      '.grok/config.toml': `[cli]
auto_update = false

[models]
default = "scripted"

[model.scripted]
model = "scripted"
base_url = "${model}/v1"
name = "Scripted"
api_key = "none"
context_window = 128000

[features]
telemetry = false
`,
    }),
    ready: /Scripted[^\n]*╯/,
    asking: {
      permission: /2 \(.\) Yes, proceed/,
      question: /Enter:submit/,
      plan: /never/,
    },
    // Its first choice allows everything from then on.
    keys: {
      ...usual.keys,
      yes: ['2'],
      no: ['3', 'Enter'],
      escape: ['C-c'],
    },
    commands: { ...usual.commands, clear: ['/new', 'Enter'], exit: ['/exit', 'Enter'] },
  },
  {
    ...usual,
    agent: 'cline',
    npm: 'cline',
    version: '3.0.65',
    // What is linked there starts it from a copy elsewhere.
    program: '../@cline/cli-linux-x64/bin/cline',
    // Usually a plugin has 4 s to load, which it needs on a machine with other work.
    env: () => ({
      ...quiet,
      CLINE_NO_AUTO_UPDATE: '1',
      CLINE_PLUGIN_IMPORT_TIMEOUT_MS: '60000',
    }),
    files: ({ model }) => ({
      '.cline/data/settings/providers.json': {
        version: 1,
        lastUsedProvider: 'openai-compatible',
        modes: {},
        providers: {
          'openai-compatible': {
            settings: {
              provider: 'openai-compatible',
              apiKey: 'none',
              model: 'scripted',
              baseUrl: `${model}/v1`,
            },
            updatedAt: '2026-11-28T00:00:00.000Z',
            tokenSource: 'manual',
          },
        },
      },
    }),
    interactive: ['-i', '--auto-approve', 'false', '-P', 'openai-compatible', '-m', 'scripted'],
    headless: (prompt) => ['-P', 'openai-compatible', '-m', 'scripted', prompt],
    ready: /\(Shift\+Tab\)/,
    dialogs: [[/Try ClinePass/, 'Escape']],
    asking: {
      permission: /Approve tool call\?/,
      question: /Cline is asking a question/,
      plan: /never/,
    },
    keys: { ...usual.keys, yes: ['y'], no: ['n'] },
    commands: { ...usual.commands, exit: ['/exit', 'Enter'], clear: ['/clear', 'Enter'] },
  },
];
