import { z } from 'zod';
import { IsoDateTime, Pagination, anyObject, flag, number, text, texts } from '../schema-parts.ts';
import { Secret } from '../secret.ts';

export const ControlChange = z.looseObject({
  revision: z.number(),
  /** Generic JSON, because properties come and go; `readControlSettings` gives a typed view. */
  settings: anyObject.nullish(),
  /** Who made the change. */
  user: z.looseObject({ id: text, email: text, name: text }).nullish(),
  updatedAt: IsoDateTime.nullish(),
});
export type ControlChange = z.infer<typeof ControlChange>;

export const ControlHistory = z.looseObject({
  changes: z.array(ControlChange),
  pagination: Pagination.nullish(),
});

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
