import { homedir } from 'node:os';

import { channelCatalog } from '../../channels/registry.ts';
import { stepsFor } from '../../config/starter.ts';
import type { NewConfig } from '../../setup/install-config.ts';
import { install } from '../../setup/install.ts';
import type { JsonObject } from '../../platform/json.ts';
import { runStep } from '../../setup/run-steps.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { findDaemon } from '../../control/stop-daemon.ts';
import { startDaemon, stopOutdatedDaemon } from '../daemon-process.ts';
import { chooseAgents, installPlaces } from '../install-places.ts';
import { printStep, printSteps } from '../print-event.ts';
import { testChannels } from '../test-channels.ts';
import type { InitAnswers, QuietRange } from './answers.ts';
import { channelFields, valueAt } from './channel-fields.ts';

/** Every channel type, which all questions about channels need. */
export const channelDefinitions = await channelCatalog.load();

/** What to do after all questions. */
export interface SetUpPlan {
  readonly agents: readonly string[];
  readonly config: NewConfig;
  /** Channels that get a test; empty: the desktop. Null: none. */
  readonly ring: readonly string[] | 'all' | null;
  /** What the configuration does, for people; empty if it is kept. */
  readonly summary: readonly string[];
}

/** Registers the hooks and writes the configuration; returns the steps. The service is unchanged. */
export async function carryOut(
  context: CommandContext,
  plan: Pick<SetUpPlan, 'agents' | 'config'>,
  { dryRun }: { readonly dryRun: boolean },
) {
  const { steps, programChanged } = await install(
    {
      agents: plan.agents.length === 0 ? [] : chooseAgents(plan.agents),
      force: true,
      base: homedir(),
      config: plan.config,
      service: null,
      dryRun,
    },
    installPlaces(context),
    runStep,
  );
  return { steps: steps.filter(({ name }) => name !== 'service'), programChanged };
}

/** Carries the plan out, lets a daemon load the configuration, and sends the tests. Prints each step, as tests can take minutes. */
export async function setUp(context: CommandContext, plan: SetUpPlan) {
  const { json, paths } = context;
  const { steps, programChanged } = await carryOut(context, plan, { dryRun: false });
  if (!json) printSteps(context, steps, false);
  await stopOutdatedDaemon(context, { programChanged });
  const { pid } = (await findDaemon(context)) ?? (await startDaemon(context, paths.program));
  if (!json) printStep(context, 'done', 'daemon', `running, pid ${pid}`);
  const taken = await context.ask('POST /v1/reload');
  const tests = plan.ring === null || !taken.ok ? [] : await testChannels(context, plan.ring);
  return { steps, pid, taken, tests };
}

/** Describes the configuration of these answers for users who do not read YAML. */
export function summaryOf({ channels, quietHours, api }: InitAnswers): readonly string[] {
  const byType = new Map(channels.map((channel) => [channel.type, channel]));
  const types = Object.fromEntries(channels.map(({ type }) => [type, { type }]));
  const { first, later } = stepsFor(types, channelDefinitions);
  const list = (names: readonly string[]): string =>
    names.map((name) => recipientOf(name, byType.get(name)?.options ?? {})).join(' and ');
  return [
    'You are notified when an agent needs permission or an answer, when a turn fails, and when a turn of more than 20 s ends:',
    row('immediately', list(first)),
    ...(later.length === 0 ? [] : [row('after 2 min', `${list(later)}, unless you react first`)]),
    row('quiet hours', quietHours === null ? 'none' : quietText(quietHours)),
    row(
      'titles',
      api === null
        ? "from your agents' own files; nothing is looked up"
        : `looked up at ${String(api.options['base_url'])}`,
    ),
    row('more', '"hookbell channel add NAME" adds a channel later'),
  ];
}

function quietText({ from, to, letThrough = [] }: QuietRange): string {
  const exceptions = letThrough.length === 0 ? '' : `, except ${letThrough.join(' and ')},`;
  return `${from} to ${to}; notifications${exceptions} are held and sent together afterwards`;
}

function row(name: string, text: string): string {
  return `  ${name.padEnd(12)} ${displayLine(text)}`;
}

/** Describes where a channel notifies, with its first required option unless that is a secret. */
function recipientOf(type: string, options: JsonObject): string {
  const definition = channelDefinitions.find((one) => one.type === type);
  if (definition === undefined) return type;
  const { recipient } = definition;
  const shown = channelFields(definition).find(({ required }) => required);
  if (shown === undefined || shown.form === 'secret') return recipient;
  const value = valueAt(options, shown.path);
  return `${recipient} (${Array.isArray(value) ? value.join(' ') : String(value)})`;
}
