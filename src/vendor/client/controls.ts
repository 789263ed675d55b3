import { z } from 'zod';

import { isJsonObject } from '../../platform/json.ts';
import { Secret } from '../../text/secret.ts';
import { pageParameters } from './organization.ts';
import { jsonPathOf } from './parse-response.ts';
import { defineRoutes } from './define-routes.ts';
import { anyObject, flag, IsoDateTime, number, Pagination, text, texts } from './schema-parts.ts';

export const ControlChange = z.looseObject({
  revision: z.number(),
  /** Generic JSON, because properties come and go; `readControlSettings` gives a typed view. */
  settings: anyObject.nullish(),
  /** Who made the change. */
  user: z.looseObject({ id: text, email: text, name: text }).nullish(),
  updatedAt: IsoDateTime.nullish(),
});
export type ControlChange = z.infer<typeof ControlChange>;

export const controlHistoryRoutes = defineRoutes(
  { family: 'v0' },
  {
    'org.history': {
      summary: 'Changes of enterprise control settings, newest first',
      path: '/api/v0/organization/enterprise-controls/history',
      parameters: pageParameters,
      response: z.looseObject({
        changes: z.array(ControlChange),
        pagination: Pagination.nullish(),
      }),
      lists: ['changes'],
      pages: 'cursor',
      secrets: 'settings',
      view: {
        columns: [
          { name: 'revision', from: 'revision', kind: 'number' },
          { name: 'updated', from: 'updatedAt', kind: 'time' },
          {
            name: 'by',
            from: ({ user }) => (isJsonObject(user) ? (user['email'] ?? user['name']) : null),
          },
          // Added by `hookbell service controls history`: it takes two revisions.
          { name: 'changed', from: 'changed' },
        ],
        empty: 'No changes found',
      },
    },
  },
);

const secret = z.instanceof(Secret).nullish();

export const CustomModel = z.looseObject({
  model: text,
  id: text,
  baseUrl: text,
  apiKey: secret,
  displayName: text,
  index: number,
  maxContextLimit: number,
  thinkingMaxTokens: number,
  maxOutputTokens: number,
  enableThinking: flag,
  noImageSupport: flag,
  /** The values are secrets. */
  extraHeaders: anyObject.nullish(),
  extraArgs: anyObject.nullish(),
  hostedCloud: z
    .looseObject({
      cloudProfile: text,
      cloudRegion: text,
      cloudBaseUrl: text,
      cloudAuthRefresh: secret,
      cloudCredentialExport: secret,
    })
    .nullish(),
});
export type CustomModel = z.infer<typeof CustomModel>;

/** The settings the interface names, for a typed view; nothing is assumed about their meaning or defaults. */
export const ControlSettings = z.looseObject({
  sessionDefaultSettings: z.looseObject({ model: text, specModeModel: text }).nullish(),
  mcpAutonomyOverrides: anyObject.nullish(),
  cloudSessionSync: flag,
  wikiCloudSync: flag,
  includeCoAuthoredByAgent: flag,
  enableAgentShield: flag,
  ideAutoConnect: flag,
  commandAllowlist: texts,
  commandDenylist: texts,
  customModels: z.array(CustomModel).nullish(),
  modelPolicy: z
    .looseObject({
      allowedModelIds: texts,
      blockedModelIds: texts,
      allowCustomModels: flag,
      allowedBaseUrls: texts,
      allowAllFactoryModels: flag,
      isFastModelsAllowed: flag,
    })
    .nullish(),
  mcpPolicy: z.looseObject({ enabled: flag, allowlist: texts }).nullish(),
  missionPolicy: z.looseObject({ restrictedAccess: flag, allowedUserIds: texts }).nullish(),
  userModelPolicies: anyObject.nullish(),
  enabledPlugins: anyObject.nullish(),
  extraKnownMarketplaces: anyObject.nullish(),
  strictKnownMarketplaces: z.array(z.looseObject({ repo: text })).nullish(),
  networkPolicy: z.looseObject({ allowedIps: texts }).nullish(),
  sandbox: z
    .looseObject({
      enabled: flag,
      filesystem: z
        .looseObject({ allowWrite: texts, allowRead: texts, denyWrite: texts, denyRead: texts })
        .nullish(),
      network: z
        .looseObject({
          allowedDomains: texts,
          allowUnixSockets: texts,
          allowAllUnixSockets: flag,
          allowLocalBinding: flag,
          httpProxyPort: number,
          socksProxyPort: number,
        })
        .nullish(),
    })
    .nullish(),
  restrictMemberVisibility: flag,
  restrictApiKeyCreationToManagers: flag,
  managedComputersEnabled: flag,
  byomComputersEnabled: flag,
  managedComputersAllowedEmails: texts,
  byomComputersAllowedEmails: texts,
  sessionRetentionDays: number,
});
export type ControlSettings = z.infer<typeof ControlSettings>;

export const controlSettingNames: readonly string[] = Object.keys(ControlSettings.shape);

export interface ReadSettings {
  /** The settings that fit the interface; a missing one is unset, which is not false. */
  readonly settings: ControlSettings;
  /** Paths of omitted settings of another type. */
  readonly misfits: readonly string[];
}

/** A typed view of control settings, key by key: one that was retyped does not hide the others. */
export function readControlSettings(settings: Readonly<Record<string, unknown>>): ReadSettings {
  const misfits: string[] = [];
  let valid: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(settings)) {
    const parsed = ControlSettings.safeParse({ [key]: value });
    if (parsed.success) valid = { ...valid, [key]: value };
    else misfits.push(jsonPathOf(parsed.error.issues[0]?.path ?? [key]));
  }
  return { settings: ControlSettings.parse(valid), misfits };
}

export interface RevisionPair {
  readonly change: ControlChange;
  /** The next lower revision present; null for the oldest. Numbers may have gaps. */
  readonly before: ControlChange | null;
}

/** Pairs each change with the one before it, also across pages. Changes come by revision, descending. */
export async function* pairRevisions(
  changes: AsyncIterable<ControlChange>,
): AsyncGenerator<RevisionPair, void, undefined> {
  let newer: ControlChange | null = null;
  for await (const change of changes) {
    // If the list grew at the top during paging, the next page repeats the end of this one.
    if (newer !== null && change.revision >= newer.revision) continue;
    if (newer !== null) yield { change: newer, before: change };
    newer = change;
  }
  if (newer !== null) yield { change: newer, before: null };
}
