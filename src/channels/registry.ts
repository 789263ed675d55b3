import type { ChannelDefinition } from '../core/channel.ts';
import alertmanager from './alertmanager/index.ts';
import apprise from './apprise.ts';
import command from './command.ts';
import desktop from './desktop/index.ts';
import discord from './discord/index.ts';
import email from './email/index.ts';
import file from './file.ts';
import googlechat from './googlechat.ts';
import inbox from './inbox.ts';
import matrix from './matrix/index.ts';
import mattermost from './mattermost.ts';
import ntfy from './ntfy/index.ts';
import pagerduty from './pagerduty/index.ts';
import pushover from './pushover/index.ts';
import rocketchat from './rocketchat.ts';
import slack from './slack/index.ts';
import teams from './teams.ts';
import telegram from './telegram/index.ts';
import terminal from './terminal.ts';
import webhook from './webhook/index.ts';

/** Every channel type, by `type:` in the configuration. A new channel adds its line here. */
export const channelDefinitions: readonly ChannelDefinition[] = [
  alertmanager,
  apprise,
  command,
  desktop,
  discord,
  email,
  file,
  googlechat,
  inbox,
  matrix,
  mattermost,
  ntfy,
  pagerduty,
  pushover,
  rocketchat,
  slack,
  teams,
  telegram,
  terminal,
  webhook,
];
