import { appManifest } from '../../channels/slack/app-manifest.ts';
import type { DefineCommand } from '../context.ts';

/** `hookbell channel manifest`: prints the manifest from which Slack creates the app of a `slack` channel. */
export const defineManifest: DefineCommand = (parent, run) => {
  parent
    .command('manifest')
    .description('print the manifest of a Slack app, for "Create New App > From a manifest"')
    .option('--name <name>', 'name of the app in the workspace', 'hookbell')
    .addHelpText(
      'after',
      `
1. https://api.slack.com/apps > Create New App > From a manifest: paste this output.
2. Install App > Install to Workspace: its "Bot User OAuth Token" (xoxb-…) is "bot_token".
3. Basic Information > App-Level Tokens, scope "connections:write": the token (xapp-…) is "app_token".
4. Invite the app to the channel: /invite @hookbell
5. hookbell channel add team --type slack --set bot_token=file:PATH --set app_token=file:PATH --set to=CHANNEL-ID
`,
    )
    .action(
      run(async ({ output }, { name }: { readonly name: string }) =>
        output.line(JSON.stringify(appManifest(name), null, 2)),
      ),
    );
};
