import { randomUUID } from 'node:crypto';
import { Option } from 'commander';

import { agentProcesses, agentVariables } from '../../agents/registry.ts';
import { whyRunByAgent } from '../../control/caller.ts';
import { handMadeSessionId, programEvents } from '../../core/hand-made.ts';
import { sha256 } from '../../platform/crypto.ts';
import { NotFoundError, UsageError } from '../../platform/errors.ts';
import { pollUntil } from '../../platform/time.ts';
import { cutText } from '../../text/sanitize.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { collect, readWord, splitPair } from '../option-values.ts';
import { deliveryLines } from '../print-event.ts';
import { complainNotInForce } from '../read-config.ts';
import { readPayloadFromInput } from '../read-payload.ts';
import { readDuration } from '../time-text.ts';
import { handToHook, type Triggered, triggerEvent } from '../trigger-event.ts';
import { allDelivered, printTests, testChannels } from '../test-channels.ts';

const urgencies = ['low', 'normal', 'critical'] as const;

interface NotifyOptions {
  readonly title?: string;
  readonly urgency?: string;
  readonly key?: string;
  readonly channel?: readonly string[];
  readonly plan?: string;
  readonly wait?: string | true;
  readonly detach?: boolean;
  readonly as?: string;
  readonly set?: readonly string[];
  readonly setJson?: readonly string[];
  readonly agent?: string;
}

/** Longer texts are cut. */
const MOST_TEXT = 16_384;

/** `hookbell notify TEXT`: what a script, cron or CI has to say, through the real hook. */
export const defineNotify: DefineCommand = (program, run) => {
  program
    .command('notify')
    .argument('[text...]', 'the message; without it or with "-", standard input')
    .description('send a notification from a script; see also "run", "line" and "mcp"')
    .option('-t, --title <title>', 'first line, above the text')
    .option('-u, --urgency <level>', urgencies.join(', '), readWord(urgencies))
    .option('--key <key>', 'replace the notification that was sent with the same key')
    .option(
      '--channel <name>',
      'notify this channel instead of what the routes say; may be repeated',
      collect,
    )
    .addOption(new Option('--plan <name>', 'follow this plan').conflicts('channel'))
    .option('--wait [duration]', 'wait until it is acknowledged, at most this long')
    .option('--detach', 'leave as soon as it is handed over')
    .option('--as <event>', 'send the event of an agent, such as Stop, to try the routes')
    .option('--set <key=text>', 'with --as: set a field of the payload', collect)
    .option('--set-json <key=json>', 'with --as: set a field to a JSON value', collect)
    .option('--agent <name>', 'with --as: the agent that sends it')
    .action(
      run(async (context, words: readonly string[], options: NotifyOptions) => {
        const { as: event, agent } = options;
        if (event !== undefined) return sendEvent(context, event, options, 'trial');
        if ((options.set ?? options.setJson ?? agent) !== undefined) {
          throw new UsageError('"--set", "--set-json" and "--agent" need "--as EVENT"');
        }
        return notify(context, await textOf(words), options);
      }),
    );
};

async function textOf(words: readonly string[]): Promise<string> {
  const isTyped = words.length > 0 && words.join() !== '-';
  if (!isTyped && process.stdin.isTTY) {
    throw new UsageError('Missing text', {
      hint: 'For example: hookbell notify "The build is done"',
    });
  }
  const text = isTyped
    ? words.join(' ')
    : Buffer.from(await readPayloadFromInput()).toString('utf8');
  if (text.trim() !== '') return cutText(text.trimEnd(), MOST_TEXT);
  throw new UsageError('The text is empty: add it to the command, or write it to its input');
}

async function notify(
  context: CommandContext,
  message: string,
  options: NotifyOptions,
): Promise<ExitCode> {
  const { title, urgency = 'normal', key, channel: channels = [], plan, wait, detach } = options;
  const timeoutMs = typeof wait === 'string' ? readDuration(wait) : Number.POSITIVE_INFINITY;
  const agents = { processes: agentProcesses, pids: new Set<number>() };
  const isSaidByAgent =
    agentVariables.some((name) => context.env[name] !== undefined) ||
    (await whyRunByAgent(process.pid, agents)) !== null;
  const isChosen = wait !== undefined || plan !== undefined || channels.length > 0;
  if (isSaidByAgent && (isChosen || urgency === 'critical')) {
    throw new UsageError('An agent runs this: the routes decide about its messages', {
      hint: 'Leave out "--channel", "--plan", "--wait" and "--urgency critical"',
    });
  }
  const payload = {
    hook_event_name: isSaidByAgent ? programEvents.tell : programEvents.notify,
    session_id: `notify-${(key === undefined ? randomUUID() : sha256(key)).slice(0, 8)}`,
    cwd: process.cwd(),
    message,
    ...(title !== undefined && { title }),
    notification_type: urgency,
    hookbell: { wait: wait !== undefined, channels, ...(plan !== undefined && { plan }) },
  };
  if (detach === true) {
    await handToHook(context, payload);
    return exitCodes.ok;
  }
  await refuseUnknown(context, channels);
  const triggered = await triggerEvent(context, payload);
  const code = show(context, triggered);
  if (wait === undefined) return code;
  return waitForReaction(context, triggered, timeoutMs);
}

/** A name that is mistyped must not look as if it was sent. A daemon that does not answer yet is started by the hook. */
async function refuseUnknown({ ask }: CommandContext, wanted: readonly string[]): Promise<void> {
  if (wanted.length === 0) return;
  const status = await ask('GET /v1/status').catch(() => null);
  const known = status?.channels.map(({ name }) => name) ?? wanted;
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new NotFoundError(`No channel is called "${unknown}"`, {
    hint: `Configured channels: ${known.join(', ')}`,
  });
}

const LOOK_MS = 500;

async function waitForReaction(
  { ask, output }: CommandContext,
  { event }: Triggered,
  timeoutMs: number,
): Promise<ExitCode> {
  const alertNow = async () => {
    const alert = (await ask('GET /v1/alerts')).find(({ eventId }) => eventId === event.eventId);
    if (alert === undefined) return 'over';
    return alert.state === 'acknowledged' ? 'acknowledged' : null;
  };
  const end = await pollUntil(alertNow, timeoutMs, LOOK_MS);
  if (end === 'acknowledged') {
    output.say('Acknowledged');
    return exitCodes.ok;
  }
  output.complain(
    end === null
      ? 'No one has acknowledged it in time'
      : 'No one has acknowledged it: it was not sent to a person here, is replaced or expired',
  );
  return end === null ? exitCodes.timedOut : exitCodes.failed;
}

type FieldOptions = Pick<NotifyOptions, 'set' | 'setJson' | 'agent'>;

/** `hookbell trigger EVENT`: the former name of `notify --as EVENT`. */
export const defineTrigger: DefineCommand = (program, run) => {
  program
    .command('trigger', { hidden: true })
    .argument('<event>', 'name of the event, such as Notification or Stop')
    .description('send an event through the real hook; use "notify --as EVENT"')
    .option('--set <key=text>', 'set a field of the payload', collect)
    .option('--set-json <key=json>', 'set a field of the payload to a JSON value', collect)
    .option('--agent <name>', 'agent that sends the event')
    .option('--plan', 'treat it as a real session, with its alert and the later steps of the plan')
    .action(
      run(
        (
          context,
          event: string,
          { plan = false, ...fields }: FieldOptions & { readonly plan?: boolean },
        ) => sendEvent(context, event, fields, plan ? 'trigger' : 'trial'),
      ),
    );
};

async function sendEvent(
  context: CommandContext,
  event: string,
  { set = [], setJson = [], agent }: FieldOptions,
  kind: 'trigger' | 'trial',
): Promise<ExitCode> {
  const payload = {
    hook_event_name: event,
    // A new session each time, so that a repeated trigger notifies again.
    session_id: handMadeSessionId(kind, randomUUID()),
    cwd: process.cwd(),
    ...Object.fromEntries(set.map((pair) => splitPair(pair))),
    ...Object.fromEntries(setJson.map((pair) => parsePair(pair))),
  };
  const words = agent === undefined ? [] : ['--agent', agent];
  return show(context, await triggerEvent(context, payload, words));
}

function show({ output, json }: CommandContext, { event, channels }: Triggered): ExitCode {
  if (json) output.json(event);
  else {
    output.line(`event ${event.eventId}: ${event.kind}`);
    for (const { text } of deliveryLines(event, channels)) output.line(`  ${text}`);
  }
  const isDead = event.deliveries.some(({ state }) => state === 'dead');
  return isDead || event.deliveries.length === 0 ? exitCodes.failed : exitCodes.ok;
}

function parsePair(pair: string): readonly [string, unknown] {
  const [key, text] = splitPair(pair);
  try {
    return [key, JSON.parse(text)];
  } catch (error) {
    throw new UsageError(`The value of "${key}" is not JSON: ${text}`, { cause: error });
  }
}

/** `hookbell test [CHANNEL…]`: sends a test notification that needs no reaction. */
export const defineTest: DefineCommand = (program, run) => {
  program
    .command('test')
    .argument('[channel...]', 'channel names (default: the desktop)')
    .option('--all', 'all channels, including those that other people read')
    .description(
      'send a test notification to the desktop, or through the named channels; see also "route"',
    )
    .action(run(test));
};

async function test(
  context: CommandContext,
  names: readonly string[],
  { all = false }: { readonly all?: boolean },
): Promise<ExitCode> {
  if (all && names.length > 0) throw new UsageError('Specify channels or --all, not both');
  const tests = await testChannels(context, all ? 'all' : names);
  if (context.json) context.output.json(tests);
  else printTests(context.output, tests);
  complainNotInForce(context, (await context.ask('GET /v1/status')).config);
  return allDelivered(tests) ? exitCodes.ok : exitCodes.failed;
}
