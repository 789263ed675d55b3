/*
 * The places that show notifications, each on its own: its options, its calls, what it can do. They return an outcome
 * for each attempt. The store, the policy, another channel and retries of a message never enter.
 */
import type { ChannelCatalog } from '../core/channel.ts';

/** Every channel type, by `type:` in the configuration. A new channel adds its line here. */
const modules = {
  alertmanager: () => import('./alertmanager/index.ts'),
  apprise: () => import('./apprise.ts'),
  command: () => import('./command.ts'),
  desktop: () => import('./desktop/index.ts'),
  discord: () => import('./discord/index.ts'),
  email: () => import('./email/index.ts'),
  file: () => import('./file.ts'),
  googlechat: () => import('./googlechat.ts'),
  inbox: () => import('./inbox.ts'),
  matrix: () => import('./matrix/index.ts'),
  mattermost: () => import('./mattermost.ts'),
  ntfy: () => import('./ntfy/index.ts'),
  pagerduty: () => import('./pagerduty/index.ts'),
  pushover: () => import('./pushover/index.ts'),
  rocketchat: () => import('./rocketchat.ts'),
  slack: () => import('./slack/index.ts'),
  speech: () => import('./speech.ts'),
  teams: () => import('./teams.ts'),
  telegram: () => import('./telegram/index.ts'),
  terminal: () => import('./terminal.ts'),
  webhook: () => import('./webhook/index.ts'),
};

/** A daemon loads the types of its configuration: all of them take an eighth of its start. */
export const channelCatalog: ChannelCatalog = {
  types: Object.keys(modules),
  load: (types = channelCatalog.types) =>
    Promise.all(
      Object.entries(modules)
        .filter(([type]) => types.includes(type))
        .map(async ([, load]) => (await load()).default),
    ),
};
