import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';

import type { Command } from 'commander';
import { isMap, parseDocument } from 'yaml';

import { channelDefinitions } from '../../channels/registry.ts';
import { parseConfig } from '../../config/load.ts';
import { formatProblem } from '../../config/problem.ts';
import { ConfigError, UsageError } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json.ts';
import { displayLine } from '../../text/sanitize.ts';
import { writeAtomically } from '../../setup/settings-file.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { askChannel, type ChannelAnswer } from '../init/ask-channel.ts';
import { selectableChannels } from '../init/make-plan.ts';
import { placeSecrets } from '../init/place-secrets.ts';
import { silentQuestions } from '../init/questions.ts';
import { readSetting } from '../init/settings.ts';
import { terminalQuestions } from '../init/terminal-questions.ts';
import { collect, readWord } from '../option-values.ts';
import { withInterrupt } from '../refresh-loop.ts';

interface Options {
  readonly type?: string;
  readonly set: readonly string[];
}

/** `hookbell channel add NAME`: adds a channel to the configuration and keeps its other lines and comments. */
export const defineChannel: DefineCommand = (program, run) => {
  const types = selectableChannels.map(({ type }) => type);
  const parent = program.command('channel').description('add a channel to the configuration');
  const add: Command = parent
    .command('add')
    .argument('<name>', 'name of the new channel, such as team')
    .description('add a channel to the configuration, keeping its other lines and comments')
    .option(
      '--type <type>',
      `type of the channel: ${types.join(', ')} (default: its name)`,
      readWord(types),
    )
    .option('--set <option=value>', 'option of the channel, such as webhook=file:PATH', collect, [])
    .action((name: string) => run((context) => addChannel(context, name, add.opts<Options>())));
};

async function addChannel(
  context: CommandContext,
  name: string,
  { type = name, set }: Options,
): Promise<void> {
  const { output, json, paths } = context;
  const definition = selectableChannels.find((one) => one.type === type);
  if (definition === undefined) {
    throw new UsageError(`The type of channel "${name}" is missing`, {
      hint: `Set --type to one of: ${selectableChannels.map((one) => one.type).join(', ')}`,
    });
  }
  const settings = set.map((pair) => readSetting(`${type}.${pair}`));
  const answer = await answered((questions) =>
    askChannel(definition, settings, context.env, questions),
  );
  const { channels, secrets } = await placeSecrets([answer], homedir());
  const before = await readFile(paths.config, 'utf8').catch(() => '');
  const text = await withChannel(before, paths.config, { name, entry: channels[type] ?? {} });
  for (const secret of secrets) {
    await mkdir(dirname(secret.path), { recursive: true, mode: 0o700 });
    await writeAtomically(secret.path, secret.text);
  }
  await mkdir(dirname(paths.config), { recursive: true, mode: 0o700 });
  await writeAtomically(paths.config, text);
  if (json) return output.json({ name, type, path: paths.config });
  output.say(`Added channel "${name}" to ${displayLine(paths.config)}`);
  output.say(`Next: add it to "notify" of a route or plan, then run "hookbell test ${name}"`);
}

/** Asks at the terminal. @throws UsageError without a terminal, naming the required options */
async function answered(
  ask: (questions: Parameters<typeof askChannel>[3]) => Promise<ChannelAnswer>,
): Promise<ChannelAnswer> {
  if (process.stdin.isTTY && process.stderr.isTTY) {
    return withInterrupt((interrupted) => ask(terminalQuestions(process.stderr, interrupted)));
  }
  const questions = silentQuestions('defaults');
  const answer = await ask(questions);
  const flags = questions.unanswered();
  if (flags.length === 0) return answer;
  throw new UsageError('Some options have no default', { hint: ['Set', ...flags].join('\n    ') });
}

/**
 * Returns the configuration text with the channel added; comments and all other text are unchanged.
 *
 * @throws UsageError if a channel has that name
 * @throws ConfigError if the text is invalid, or is with the new channel
 */
export async function withChannel(
  before: string,
  path: string,
  { name, entry }: { readonly name: string; readonly entry: JsonObject },
): Promise<string> {
  const document = parseDocument(before);
  const problems = document.errors.map(({ message }) => message);
  if (problems.length > 0) throw new ConfigError(`Cannot read "${path}": ${problems.join('; ')}`);
  if (document.hasIn(['channels', name])) {
    throw new UsageError(`Channel "${name}" already exists`, { hint: 'Choose another name' });
  }
  // Without this section the desktop is notified: adding another channel must not end that.
  if (!isMap(document.get('channels', true))) {
    document.set('channels', document.createNode({ desktop: { type: 'desktop' } }));
  }
  const node = document.createNode(entry);
  if (isMap(node)) node.flow = true;
  document.setIn(['channels', name], node);
  const text = document.toString({ lineWidth: 0 });
  const loaded = await parseConfig(text, path, { definitions: channelDefinitions });
  if (loaded.ok) return text;
  throw new ConfigError(
    `Cannot add channel "${name}":\n${loaded.problems.map(formatProblem).join('\n')}`,
  );
}
