import type { JsonObject } from '../json-object.ts';
import { randomFor } from '../random.ts';

/** Enterprise controls with every documented field. All secret values begin with "mock-secret". */
export function firstSettings(seed: number): JsonObject {
  const random = randomFor(seed, 'settings');
  const secret = (): string => `mock-secret-${random.hex(16)}`;
  return {
    sessionDefaultSettings: { model: 'aurora-4', specModeModel: 'borealis-2-thinking' },
    mcpAutonomyOverrides: { github: 'auto-low' },
    cloudSessionSync: true,
    wikiCloudSync: false,
    includeCoAuthoredByAgent: true,
    enableAgentShield: true,
    ideAutoConnect: false,
    commandAllowlist: ['git status', 'npm test'],
    commandDenylist: ['rm -rf /', 'curl * | sh'],
    customModels: [
      {
        model: 'team-llm',
        id: 'custom:team-llm',
        baseUrl: 'https://llm.example.com/v1',
        apiKey: secret(),
        displayName: 'Team LLM',
        index: 0,
        maxContextLimit: 128_000,
        thinkingMaxTokens: 8_000,
        maxOutputTokens: 4_000,
        enableThinking: true,
        noImageSupport: false,
        extraHeaders: { 'X-Team-Key': secret() },
        extraArgs: { signature: secret() },
        hostedCloud: {
          cloudProfile: 'default',
          cloudRegion: 'eu-1',
          cloudBaseUrl: 'https://cloud.example.com',
          cloudAuthRefresh: `cloud login --token ${secret()}`,
          cloudCredentialExport: `cloud export --secret ${secret()}`,
        },
      },
    ],
    modelPolicy: {
      allowedModelIds: ['aurora-4', 'aurora-4-fast'],
      blockedModelIds: [],
      allowCustomModels: true,
      allowedBaseUrls: ['https://llm.example.com'],
      allowAllFactoryModels: false,
      isFastModelsAllowed: true,
    },
    mcpPolicy: { enabled: true, allowlist: ['github', 'linear'] },
    missionPolicy: { restrictedAccess: true, allowedUserIds: [] },
    userModelPolicies: { interns: { allowedModelIds: ['aurora-4-fast'] } },
    enabledPlugins: { 'review@acme': true },
    extraKnownMarketplaces: { acme: { source: 'git' } },
    strictKnownMarketplaces: [{ repo: 'acme/plugins' }],
    networkPolicy: { allowedIps: ['10.0.0.0/8'] },
    sandbox: {
      enabled: true,
      filesystem: {
        allowWrite: ['.'],
        allowRead: ['/usr'],
        denyWrite: ['.git'],
        denyRead: ['~/.ssh'],
      },
      network: {
        allowedDomains: ['registry.example.com'],
        allowUnixSockets: [],
        allowAllUnixSockets: false,
        allowLocalBinding: true,
        httpProxyPort: 3128,
        socksProxyPort: 1080,
      },
    },
    restrictMemberVisibility: false,
    restrictApiKeyCreationToManagers: true,
    managedComputersEnabled: true,
    byomComputersEnabled: true,
    managedComputersAllowedEmails: ['ada@example.com'],
    byomComputersAllowedEmails: [],
    sessionRetentionDays: 90,
  };
}
