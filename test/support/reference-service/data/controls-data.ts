import { DAY_MS } from '../days.ts';
import type { JsonObject } from '../../../../src/platform/json.ts';
import { randomFor } from '../random.ts';
import type { StoredPerson } from './users.ts';

export interface StoredRevision {
  readonly revision: number;
  readonly settings: JsonObject;
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly updatedAt: string;
}

/** The revision that is not there. */
const GAP = 13;
const LAST = 26;

/** Twenty-five revisions, newest first, each with the whole settings; number 13 is missing. */
export function createControls(
  seed: number,
  now: number,
  people: readonly StoredPerson[],
): readonly StoredRevision[] {
  const random = randomFor(seed, 'controls');
  const authors = people.filter(({ role }) => role === 'owner' || role === 'manager');
  let settings = firstSettings(seed);
  const changes: StoredRevision[] = [];
  for (let revision = 1; revision <= LAST; revision += 1) {
    if (revision > 1) settings = { ...settings, ...changeOf(revision, settings, seed) };
    if (revision === 18) settings = renamed(settings, 'ideAutoConnect', 'ideAutoConnectMode');
    const { id, email, firstName, lastName = '' } = random.pick(authors);
    if (revision === GAP) continue;
    changes.unshift({
      revision,
      settings,
      user: { id, email, name: `${firstName} ${lastName}`.trim() },
      updatedAt: new Date(now - (LAST - revision) * 3 * DAY_MS - DAY_MS).toISOString(),
    });
  }
  return changes;
}

/** What a revision changes: most toggle one thing, some loosen, rename or retype. */
function changeOf(revision: number, settings: JsonObject, seed: number): JsonObject {
  switch (revision) {
    case 5:
      return { commandDenylist: ['rm -rf /'] };
    case 9:
      return { customModels: firstSettings(seed + 1)['customModels'] };
    case 14:
      return { sandbox: { enabled: false } };
    case 16:
      return { brandNewPolicy: { mode: 'audit', apiToken: 'mock-secret-of-a-new-policy' } };
    case 21:
      return { sessionRetentionDays: '30' };
    case 24:
      return { networkPolicy: { allowedIps: ['0.0.0.0/0'] } };
    default:
      return { enableAgentShield: settings['enableAgentShield'] !== true };
  }
}

function renamed(settings: JsonObject, from: string, to: string): JsonObject {
  const { [from]: value, ...rest } = settings;
  return { ...rest, [to]: value };
}

/** One more revision: another command is allowed, and the custom models have other keys. */
export function addLooseRevision(changes: StoredRevision[], seed: number, now: number): void {
  const [last] = changes;
  if (last === undefined) return;
  const revision = last.revision + 1;
  changes.unshift({
    ...last,
    revision,
    settings: {
      ...last.settings,
      commandAllowlist: ['git status', 'npm test', `deploy-${revision}`],
      customModels: firstSettings(seed + revision)['customModels'],
    },
    updatedAt: new Date(now).toISOString(),
  });
}

/** Enterprise controls with every documented field. All secret values begin with "mock-secret". */
function firstSettings(seed: number): JsonObject {
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
