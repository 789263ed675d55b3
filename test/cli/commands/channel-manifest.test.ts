import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';

import { botScopes } from '../../../src/channels/slack/app-manifest.ts';
import { commandLine } from '../../support/command-line.ts';

/** https://docs.slack.dev/reference/app-manifest: lengths and the parts that Socket Mode needs. */
const manifest = z.object({
  display_information: z.object({
    name: z.string().min(1).max(35),
    description: z.string().max(140),
  }),
  features: z.object({
    bot_user: z.object({ display_name: z.string().min(1).max(80) }),
    slash_commands: z.tuple([
      z.object({
        command: z.literal('/hookbell'),
        description: z.string().max(2_000),
        usage_hint: z.string().max(1_000),
      }),
    ]),
  }),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()).max(255) }) }),
  settings: z.object({
    event_subscriptions: z.object({ bot_events: z.array(z.string()).max(100) }),
    interactivity: z.object({ is_enabled: z.literal(true) }),
    socket_mode_enabled: z.literal(true),
  }),
});

test('hookbell channel manifest prints a manifest within the limits of Slack', async () => {
  await using cli = await commandLine();

  const { code, stdout } = await cli.run(['channel', 'manifest', '--name', 'hookbell of Ada']);

  const { display_information: shown, oauth_config: rights } = manifest.parse(JSON.parse(stdout));
  assert.deepEqual([code, shown.name], [0, 'hookbell of Ada']);
  assert.deepEqual(rights.scopes.bot, [...botScopes]);
});
