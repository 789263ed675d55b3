import type { JsonObject } from '../../platform/json.ts';

/** What the app may do in the workspace, and why. */
export const botScopes = [
  // Posts, and changes and finds its posts.
  'chat:write',
  'channels:history',
  'groups:history',
  'im:history',
  // "/hookbell".
  'commands',
  // Opens the direct messages of "to: dm:…".
  'im:write',
  'users:read',
  'users:read.email',
] as const;

/** The manifest of an app for hookbell (https://docs.slack.dev/reference/app-manifest). */
export function appManifest(name = 'hookbell'): JsonObject {
  return {
    display_information: {
      name,
      description: 'Notifies you when a coding agent waits for you, and takes your answer',
      background_color: '#1d2430',
    },
    features: {
      app_home: {
        home_tab_enabled: true,
        messages_tab_enabled: true,
        messages_tab_read_only_enabled: false,
      },
      bot_user: { display_name: name, always_online: true },
      slash_commands: [
        {
          command: '/hookbell',
          description: 'Your agent sessions, mutes and digests',
          usage_hint: 'who | mute 30m | explain [ID] | waiting | digest',
          should_escape: false,
        },
      ],
    },
    oauth_config: { scopes: { bot: [...botScopes] } },
    settings: {
      event_subscriptions: {
        bot_events: ['app_home_opened', 'message.channels', 'message.groups', 'message.im'],
      },
      interactivity: { is_enabled: true },
      org_deploy_enabled: false,
      socket_mode_enabled: true,
      token_rotation_enabled: false,
    },
  };
}
