import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';

import { isMap, parseDocument, stringify } from 'yaml';

import { writeAtomically } from '../../platform/replace-file.ts';
import { channelCatalog } from '../../channels/registry.ts';
import { abilityText, declaredAbilities } from '../../core/ability.ts';
import type { Config } from '../../config/config.ts';
import { refusedSecrets } from '../../config/channel-schema.ts';
import { parseConfig } from '../../config/load.ts';
import { secretReader } from '../../config/secrets.ts';
import { formatProblem } from '../../config/problem.ts';
import { starterConfig, stepsFor } from '../../config/starter.ts';
import { notADuration } from '../../config/units.ts';
import type { Prompts } from '../../core/prompts.ts';
import { ConfigError, UsageError } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json.ts';
import { parseDuration } from '../../text/duration.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { askChannel } from '../init/ask-channel.ts';
import { withValue } from '../init/channel-fields.ts';
import { type Joined, type Joining, joinPlan } from '../init/join-plan.ts';
import { existingConfig, selectableChannels } from '../init/make-plan.ts';
import { placeSecrets, readSetting, unreadableSecrets } from '../init/place-secrets.ts';
import { channelDefinitions } from '../init/set-up.ts';
import { silentQuestions, terminalQuestions } from '../init/terminal-questions.ts';
import { addPair, addSection, nameText, replacePair, withEdits } from '../../config/yaml-edits.ts';
import { configSchemaFile } from '../install-places.ts';
import { collect, readWord } from '../option-values.ts';
import { withInterrupt } from '../refresh-loop.ts';
import { appManifest } from '../../channels/slack/app-manifest.ts';

interface Options {
  readonly type?: string;
  readonly set?: readonly string[];
  /** False for `--no-plan`. */
  readonly plan?: string | false;
  readonly after?: string;
  readonly force?: true;
}

/** `hookbell channel add NAME`: adds a channel to the configuration and to a plan, and keeps every other line. */
export const defineChannelCommand: DefineCommand = (program, run) => {
  const types = selectableChannels.map(({ type }) => type);
  const parent = program
    .command('channel')
    .description('add a channel to the configuration, or print what its service needs');
  parent
    .command('add')
    .argument('<name>', 'name of the new channel, such as team')
    .description('add a channel to the configuration and to a plan, keeping all other lines')
    .option(
      '--type <type>',
      `type of the channel: ${types.join(', ')} (default: its name)`,
      readWord(types),
    )
    .option('--set <option=value>', 'option of the channel, such as webhook=file:PATH', collect)
    .option('--plan <name>', 'plan to add it to (default: the one for permissions and questions)')
    .option(
      '--after <duration>',
      'notify it after this time without a reaction, such as 2m; 0s: immediately',
    )
    .option('--no-plan', 'do not add it to a plan')
    .option('--force', 'add it even if a secret that it refers to cannot be read')
    .action(run(addChannel));
  parent
    .command('list', { hidden: true })
    .action(() => refuse('Channels are listed with their health', 'Run "hookbell status"'));
  parent
    .command('remove', { hidden: true })
    .argument('[name]')
    .action((name = 'NAME') =>
      refuse(
        `Channel "${name}" is removed in the configuration itself`,
        'Run "hookbell config edit": remove it from "channels", and from each "notify" that names it',
      ),
    );
  defineManifest(parent, run);
};

/** @throws UsageError for what people try first, with the way that there is */
function refuse(reason: string, hint: string): never {
  throw new UsageError(reason, { hint });
}

async function addChannel(
  context: CommandContext,
  name: string,
  { type = name, set = [], plan, after, force }: Options,
): Promise<void> {
  const { output, json, paths } = context;
  const definition = selectableChannels.find((one) => one.type === type);
  if (definition === undefined) {
    throw new UsageError(`The type of channel "${name}" is missing`, {
      hint: `Set --type to one of: ${selectableChannels.map((one) => one.type).join(', ')}`,
    });
  }
  if (plan === false && after !== undefined) {
    throw new UsageError('"--no-plan" and "--after" exclude each other');
  }
  if (after !== undefined && parseDuration(after) === null) {
    throw new UsageError(`"--after" ${notADuration(after)}`);
  }
  const settings = set.map((pair) => readSetting(`${type}.${pair}`));
  const existing = await existingConfig(context);
  const starter = starterConfig(configSchemaFile(paths));
  const before = existing.state === 'own' ? existing.text : starter;
  const types = (await readConfig(before, paths.config)).types;
  const { later } = stepsFor({ ...types, [name]: { type } }, channelDefinitions);
  const usual = later.includes(name) ? '2m' : '0s';
  const { answer, delay } = await answered(context.env, async (questions) => ({
    answer: await askChannel(definition, settings, '', context.env, questions),
    delay: plan === false ? 'none' : (after ?? (await askDelay(name, usual, questions))),
  }));

  const readSecret = secretReader(paths.config, context.env);
  const entered = answer.secrets.reduce(
    (options: JsonObject, { path, value }) => withValue(options, path, value),
    { type, ...answer.options },
  );
  const troubles = [
    ...(await unreadableSecrets(definition, answer.options, readSecret)),
    ...(await refusedSecrets(name, entered, { definition, readSecret })).map(
      ({ path, message }) => `"${path.slice(2).join('.')}" ${message}`,
    ),
  ];
  if (troubles.length > 0 && force !== true) {
    throw new UsageError(`Channel "${name}" would not work: ${troubles.join('\n')}`, {
      hint: 'Correct that, or add the channel anyway with --force',
    });
  }

  const { channels, secrets } = await placeSecrets([answer], homedir());
  const entry = channels[type] ?? {};
  const joins =
    delay === 'none' ? null : { plan: plan === false ? null : (plan ?? null), after: delay };
  const { text, changes } = await withChannel(before, paths.config, { name, entry, joins });
  for (const secret of secrets) {
    await mkdir(dirname(secret.path), { recursive: true, mode: 0o700 });
    await writeAtomically(secret.path, secret.text);
  }
  await mkdir(dirname(paths.config), { recursive: true, mode: 0o700 });
  await writeAtomically(paths.config, text);
  if (json) return output.json({ name, type, path: paths.config, changes });
  output.say(`Added channel "${name}" to ${displayLine(paths.config)}`);
  for (const change of changes) output.say(displayLine(change));
  for (const trouble of troubles) output.complain(displayLine(trouble));
  const abilities = abilityText(declaredAbilities(definition.can));
  if (abilities !== '') output.say(`A channel of type "${type}" can ${abilities}`);
  output.say(`Next: run "hookbell test ${name}"`);
}

/** Asks when to notify the channel. Returns a duration, or "none". */
function askDelay(name: string, initial: string, questions: Prompts): Promise<string> {
  return questions.one({
    message: `When should "${name}" receive permissions, questions and your other notifications?`,
    flag: '--after DURATION or --no-plan',
    choices: [
      { value: '0s', label: 'Immediately' },
      { value: '2m', label: 'After 2 minutes without a reaction' },
      { value: '10m', label: 'After 10 minutes without a reaction' },
      { value: 'none', label: 'Not yet', hint: 'it is not added to any plan' },
    ],
    initial,
  });
}

/** Asks at the terminal. @throws UsageError without a terminal, naming the required options */
async function answered<Answer>(
  env: CommandContext['env'],
  ask: (questions: Prompts) => Promise<Answer>,
): Promise<Answer> {
  if (process.stdin.isTTY && process.stderr.isTTY) {
    const leaving = [{ value: 'stop', label: 'Stop', hint: 'nothing is added' }] as const;
    return withInterrupt((signal) =>
      ask(terminalQuestions({ output: process.stderr, signal, env, leaving })),
    );
  }
  const questions = silentQuestions('defaults');
  const answer = await ask(questions);
  const flags = questions.unanswered();
  if (flags.length === 0) return answer;
  throw new UsageError('Some options have no default', { hint: ['Set', ...flags].join('\n    ') });
}

interface NewChannel {
  readonly name: string;
  readonly entry: JsonObject;
  /** Name of the plan to join (null: that of requests) and delay; null: none. */
  readonly joins: Pick<Joining, 'plan' | 'after'> | null;
}

/**
 * Returns the configuration text with the channel added and all else verbatim, and what was changed, for people.
 *
 * @throws UsageError if a channel has that name, or a plan does not exist
 * @throws ConfigError if the text is invalid, or is with the new channel
 */
export async function withChannel(
  written: string,
  path: string,
  { name, entry, joins }: NewChannel,
): Promise<{ readonly text: string; readonly changes: readonly string[] }> {
  const before = written === '' || written.endsWith('\n') ? written : `${written}\n`;
  const { config, types } = await readConfig(before, path);
  const document = parseDocument(before);
  if (document.hasIn(['channels', name])) {
    throw new UsageError(`Channel "${name}" already exists`, { hint: 'Choose another name' });
  }
  const value = stringify(entry, { collectionStyle: 'flow', lineWidth: 0 }).trim();
  const channels: unknown = document.get('channels', true);
  const root = document.contents;
  // Without this section the desktop is notified: adding another channel must not end that.
  const section = `{ desktop: { type: desktop }, ${nameText(name)}: ${value} }`;
  const added = isMap(channels)
    ? addPair(before, channels, name, value)
    : isMap(root) && root.has('channels')
      ? replacePair(root, 'channels', 'channels', section)
      : isMap(root) && root.flow === true
        ? addPair(before, root, 'channels', section)
        : addSection(
            before,
            null,
            '',
            `channels:\n  desktop: { type: desktop }\n  ${nameText(name)}: ${value}\n`,
          );
  const unplanned: Joined = {
    edits: [],
    changes: ['It is not in any plan: to use it, add it to "notify" of a route or plan'],
  };
  const { edits, changes } =
    joins === null
      ? unplanned
      : joinPlan(
          { text: before, document, policy: config.policy, channels: Object.keys(types) },
          { name, ...joins, afterMs: parseDuration(joins.after) ?? 0 },
        );
  const text = withEdits(before, [added, ...edits]);
  await validConfig(text, path, `Cannot add channel "${name}"`);
  return { text, changes };
}

/** @throws ConfigError with every problem of the text */
async function validConfig(text: string, path: string, failure: string): Promise<Config> {
  const loaded = await parseConfig(text, path, { catalog: channelCatalog });
  if (loaded.ok) return loaded.config;
  throw new ConfigError(`${failure}:\n${loaded.problems.map(formatProblem).join('\n')}`);
}

/** Returns the configuration and the types of its channels by name. @throws ConfigError if it is invalid */
async function readConfig(
  text: string,
  path: string,
): Promise<{ readonly config: Config; readonly types: Readonly<Record<string, JsonObject>> }> {
  const config = await validConfig(text, path, `Cannot read "${path}"`);
  const named = config.channels.filter(({ definition }) => definition.type !== 'inbox');
  const types = Object.fromEntries(named.map(({ name, definition: { type } }) => [name, { type }]));
  return { config, types };
}

/** `hookbell channel manifest`: prints the manifest from which Slack creates the app of a `slack` channel. */
const defineManifest: DefineCommand = (parent, run) => {
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
