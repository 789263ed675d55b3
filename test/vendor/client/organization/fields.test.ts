import assert from 'node:assert/strict';
import { test } from 'node:test';

import { routes } from '../../../../src/vendor/client/index.ts';
import {
  ControlChange,
  ControlSettings,
  CustomModel,
} from '../../../../src/vendor/client/controls.ts';
import { OrganizationUser } from '../../../../src/vendor/client/organization.ts';
import { SessionSettings } from '../../../../src/vendor/client/sessions.ts';
import { counts, flags, lists, secret, testFields, texts } from '../field-cases.ts';

for (const fieldCase of [
  {
    id: '165',
    what: 'the list of users',
    schema: routes['org.users'].response,
    fields: { users: [], pagination: { hasMore: false } },
    required: ['users', 'pagination'],
  },
  {
    id: '166, 167, A09',
    what: 'a user, whose e-mail and times are kept as they come',
    schema: OrganizationUser,
    fields: {
      ...texts('id', 'email', 'createdAt', 'firstName', 'lastName', 'lastSignInAt'),
      metadata: { any: 1 },
    },
  },
  {
    id: '170',
    what: 'the list of control changes',
    schema: routes['org.history'].response,
    fields: { changes: [], pagination: { hasMore: false } },
    required: ['changes'],
  },
  {
    id: '172',
    what: 'a control change',
    schema: ControlChange,
    fields: {
      revision: 3,
      settings: { a: 1 },
      user: { id: 'u1', email: 'a@x.test', name: 'Ada' },
      updatedAt: '2026-03-01T00:00:00Z',
    },
    required: ['revision'],
  },
  {
    id: '174',
    what: 'session defaults and MCP overrides',
    schema: ControlSettings,
    fields: {
      sessionDefaultSettings: texts('model', 'specModeModel'),
      mcpAutonomyOverrides: { any: 1 },
    },
  },
  {
    id: '175',
    what: 'switches of the client',
    schema: ControlSettings,
    fields: flags(
      'cloudSessionSync',
      'wikiCloudSync',
      'includeCoAuthoredByAgent',
      'enableAgentShield',
      'ideAutoConnect',
    ),
  },
  {
    id: '176',
    what: 'command lists',
    schema: ControlSettings,
    fields: lists('commandAllowlist', 'commandDenylist'),
  },
  {
    id: '177',
    what: 'a custom model',
    schema: CustomModel,
    fields: {
      ...texts('model', 'id', 'baseUrl', 'displayName'),
      apiKey: secret,
      ...counts('index', 'maxContextLimit', 'thinkingMaxTokens', 'maxOutputTokens'),
      ...flags('enableThinking', 'noImageSupport'),
      extraHeaders: { a: secret },
      extraArgs: { a: secret },
    },
  },
  {
    id: '178',
    what: 'the hosting of a custom model',
    schema: CustomModel,
    fields: {
      hostedCloud: {
        ...texts('cloudProfile', 'cloudRegion', 'cloudBaseUrl'),
        cloudAuthRefresh: secret,
        cloudCredentialExport: secret,
      },
    },
  },
  {
    id: '181',
    what: 'the model policy',
    schema: ControlSettings,
    fields: {
      modelPolicy: {
        ...lists('allowedModelIds', 'blockedModelIds', 'allowedBaseUrls'),
        ...flags('allowCustomModels', 'allowAllFactoryModels', 'isFastModelsAllowed'),
      },
    },
  },
  {
    id: '182',
    what: 'MCP and mission policy',
    schema: ControlSettings,
    fields: {
      mcpPolicy: { enabled: true, ...lists('allowlist') },
      missionPolicy: { restrictedAccess: true, ...lists('allowedUserIds') },
    },
  },
  {
    id: '183',
    what: 'plugins and marketplaces',
    schema: ControlSettings,
    fields: {
      userModelPolicies: { any: 1 },
      enabledPlugins: { any: 1 },
      extraKnownMarketplaces: { any: 1 },
      strictKnownMarketplaces: [{ repo: 'a/b' }],
    },
  },
  {
    id: '184',
    what: 'the network policy',
    schema: ControlSettings,
    fields: { networkPolicy: lists('allowedIps') },
  },
  {
    id: '185',
    what: 'the sandbox',
    schema: ControlSettings,
    fields: {
      sandbox: {
        enabled: true,
        filesystem: lists('allowWrite', 'allowRead', 'denyWrite', 'denyRead'),
        network: {
          ...lists('allowedDomains', 'allowUnixSockets'),
          ...flags('allowAllUnixSockets', 'allowLocalBinding'),
          ...counts('httpProxyPort', 'socksProxyPort'),
        },
      },
    },
  },
  {
    id: '186',
    what: 'restrictions and computer switches',
    schema: ControlSettings,
    fields: flags(
      'restrictMemberVisibility',
      'restrictApiKeyCreationToManagers',
      'managedComputersEnabled',
      'byomComputersEnabled',
    ),
  },
  {
    id: '187',
    what: 'allowed e-mails and retention',
    schema: ControlSettings,
    fields: {
      ...lists('managedComputersAllowedEmails', 'byomComputersAllowedEmails'),
      sessionRetentionDays: 30,
    },
  },
  {
    id: '192',
    what: 'the answer to set limits',
    schema: routes['org.setLimits'].response,
    fields: {
      updated: [{ email: 'a@x.test', limit: 5 }],
      errors: [{ email: 'b@x.test', error: 'No such user' }],
    },
    required: ['updated', 'errors'],
  },
]) {
  testFields(fieldCase);
}

test('acceptance 222: objects of unshown shape round-trip unchanged', () => {
  const open = { deep: [{ a: null }, [1, 'x']], '': false };

  assert.deepEqual(OrganizationUser.parse({ metadata: open }).metadata, open);
  for (const name of [
    'mcpAutonomyOverrides',
    'userModelPolicies',
    'enabledPlugins',
    'extraKnownMarketplaces',
  ] as const) {
    assert.deepEqual(ControlSettings.parse({ [name]: open })[name], open);
  }
  for (const name of ['extraHeaders', 'extraArgs'] as const) {
    assert.deepEqual(CustomModel.parse({ [name]: open })[name], open);
  }
  const { tags, childInclusiveTokenUsageBySessionId: children } = SessionSettings.parse({
    tags: [{ metadata: open }],
    childInclusiveTokenUsageBySessionId: open,
  });
  assert.deepEqual([tags?.[0]?.metadata, children], [open, open]);
});
