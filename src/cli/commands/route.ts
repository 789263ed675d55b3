import { readFile } from 'node:fs/promises';

import { decodePayload } from '../../agents/decode.ts';
import { traitsOf } from '../../agents/registry.ts';
import { FailedError, UsageError, whyUnreadable } from '../../platform/errors.ts';
import { displayLine } from '../../text/sanitize.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { readLimit } from '../option-values.ts';
import type { Output } from '../output.ts';
import { printTree } from '../print-event.ts';
import { requireConfig, requireNamedConfig } from '../read-config.ts';
import { readPayloadFrom } from '../read-payload.ts';
import { routeEvent, type Routing } from '../../alerts/route-event.ts';
import { delayText } from '../../text/duration.ts';
import { localTimeText, readTime } from '../time-text.ts';
import { type Replayed, replayTimeline } from '../replay-timeline.ts';
import { entryOf, parseTimeline, recordedEvents } from '../timeline.ts';
import type { EventView } from '../../control/contract.ts';
import { shortenIds } from '../short-id.ts';

interface Options {
  readonly event: string;
  readonly agent?: string;
  readonly after?: number;
  readonly at?: number;
  readonly verify?: string;
  readonly tree?: boolean;
}

/** `hookbell route`: shows how the configuration routes events. */
export const defineRoute: DefineCommand = (program, run) => {
  const route = program
    .command('route', { hidden: true })
    .description('try routes on a payload, a recording or past events');
  route
    .command('test')
    .description(
      'show which route a payload takes and which channels it would notify; sends nothing',
    )
    .requiredOption('--event <file>', 'file with the payload of a hook, or "-" for standard input')
    .option('--agent <name>', 'agent that sends the event')
    .option('--after <seconds>', 'treat it as the end of a turn of this length', readSeconds)
    .option('--at <time>', 'evaluate it at this time, such as 2026-01-05T22:30 or 22:30', (text) =>
      readTime(text, Date.now()),
    )
    .option('--verify <plan>', 'exit with 1 unless it takes this plan ("none": notifies no one)')
    .option('--tree', 'show every route and why the payload does not match it')
    .action(run(testRoute));
  route
    .command('diff')
    .argument('<old>', 'configuration to compare')
    .argument('<new>', 'configuration to compare with')
    .description('list recorded events that two configurations route differently')
    .option('--limit <n>', 'compare at most this many recorded events', readLimit, 1_000)
    .action(run(diffRoutes));
  defineReplay(route, run);
};

async function testRoute(
  { output, json, paths }: CommandContext,
  { event: place, agent, after, at, verify, tree }: Options,
): Promise<ExitCode> {
  const { policy } = await requireConfig(paths.config);
  if (verify !== undefined && policy.plans[verify] === undefined) {
    throw new UsageError(`Unknown plan "${verify}"`, {
      hint: `Expected one of: ${Object.keys(policy.plans).join(', ')}`,
    });
  }
  const facts = agent === undefined ? {} : { agent };
  const decoded = decodePayload({ payload: await readPayloadFrom(place), facts });
  if (!decoded.ok) {
    throw new FailedError(`The payload is not an event: ${decoded.reason}`, {
      hint: 'Run "hookbell hook --explain" with it to see how hookbell reads it',
    });
  }
  const { event } = decoded;
  const turnMs = after === undefined ? null : after * 1_000;
  const now = at ?? Date.now();
  const routing = routeEvent(event, { policy, agents: traitsOf, now, turnMs });
  const { decisions, notify, plans } = routing;
  const isTaken = verify === 'none' ? notify.length === 0 : plans.includes(verify ?? '');
  const verified = verify === undefined ? null : isTaken;
  if (json) {
    const { agent: from, event: name, kind, sessionId, project, message } = event;
    const read = { agent: from, event: name, kind, sessionId, project, message };
    output.json({
      ...read,
      decisions,
      notify,
      plans,
      ...(tree === true && { tree: routing.tree }),
      ...(verified !== null && { verified }),
    });
  } else {
    if (tree === true) printTree(output, routing.tree, Date.now());
    printRouting(output, routing);
    if (verified === false) {
      output.complain(`It takes ${plans.join(', ') || 'no plan'}, expected "${verify}"`);
    }
  }
  return verified === false ? exitCodes.failed : exitCodes.ok;
}

function printRouting(output: Output, { decisions, notify }: Routing): void {
  for (const { stage, verdict, reason } of decisions) {
    output.line(`${stage.padEnd(9)} ${verdict.padEnd(7)} ${displayLine(reason)}`);
  }
  for (const { channel, afterMs } of notify) {
    const when = afterMs === 0 ? 'immediately' : `after ${delayText(afterMs)}`;
    output.line(`would notify ${channel} ${when}`);
  }
  if (notify.length === 0) output.line('would notify no one');
}

function readSeconds(value: string): number {
  const seconds = Number(value);
  if (value.trim() !== '' && Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new UsageError(`The turn length is "${value}", expected a number of seconds`);
}

/** `hookbell route replay FILE`: simulates the notifications of a timeline; sends nothing. */
const defineReplay: DefineCommand = (program, run) => {
  program
    .command('replay')
    .argument('<file>', 'timeline: JSON lines with "at" (seconds), "agent", "env" and "payload"')
    .description('run a timeline through the configuration on a simulated clock; nothing is sent')
    .option('--config <file>', 'file to use instead of the active configuration')
    .action(
      run(async (context, file: string, { config }: { readonly config?: string }) => {
        const { policy } = await (config === undefined
          ? requireConfig(context.paths.config)
          : requireNamedConfig(config));
        const replayed = await replayTimeline(parseTimeline(await readTimeline(file)), policy);
        for (const line of replayed.skipped) context.output.say(`Skipped ${line}`);
        print(context, replayed);
      }),
    );
};

async function readTimeline(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read the timeline "${file}": ${whyUnreadable(error)}`, {
      hint: 'Run "hookbell history --export" to write one from recorded events',
      cause: error,
    });
  }
}

function print({ output, json }: CommandContext, { sent }: Replayed): void {
  if (json) {
    return output.json(
      sent.map(({ seconds: at, channel, step, kind, sessionId, alertId, reason }) => {
        return { at, channel, step, kind, sessionId, alertId, reason };
      }),
    );
  }
  if (sent.length === 0) return output.say('Nothing would be sent');
  output.table(
    ['AT', 'CHANNEL', 'STEP', 'KIND', 'SESSION', 'WHY'],
    sent.map((one) => [
      `${one.seconds} s`,
      one.channel,
      String(one.step),
      one.kind,
      one.sessionId ?? '-',
      one.also.length === 0 ? one.reason : `with ${one.also.length} more; ${one.reason}`,
    ]),
  );
}

/** How two configurations notify of one event. */
interface Difference extends Pick<EventView, 'eventId' | 'at' | 'title'> {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Replays the recorded history with two configurations and lists the events that would notify different channels; exits
 * with 1 if there are any.
 */
async function diffRoutes(
  context: CommandContext,
  before: string,
  after: string,
  { limit }: { readonly limit: number },
): Promise<ExitCode> {
  const { output, json } = context;
  const events = await recordedEvents(context, limit);
  const entries = events.flatMap((event) => entryOf(event) ?? []);
  const [old, next] = await Promise.all(
    [before, after].map(async (file) => {
      const { policy } = await requireNamedConfig(file);
      return channelsByEvent(await replayTimeline(entries, policy));
    }),
  );
  const differences = events.flatMap(({ eventId, at, title }): Difference[] => {
    const was = old?.get(eventId) ?? [];
    const becomes = next?.get(eventId) ?? [];
    if (was.join() === becomes.join()) return [];
    return [{ eventId, at, title, before: was, after: becomes }];
  });
  if (json) output.json(differences);
  else if (differences.length === 0) output.say(`${events.length} events, no difference`);
  else printDifferences(context, differences);
  return differences.length === 0 ? exitCodes.ok : exitCodes.failed;
}

/** The channels notified of each event; "team (step 2)" for a later step. */
function channelsByEvent({ sent }: Replayed): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { eventId, channel, step } of sent) {
    const name = step === 0 ? channel : `${channel} (step ${step})`;
    found.set(eventId, [...(found.get(eventId) ?? []), name]);
  }
  return found;
}

function printDifferences({ output }: CommandContext, differences: readonly Difference[]): void {
  const now = Date.now();
  const short = shortenIds(differences.map(({ eventId }) => eventId));
  output.table(
    ['EVENT', 'TIME', 'WHAT', 'BEFORE', 'AFTER'],
    differences.map(({ eventId, at, title, before, after }) => [
      short(eventId),
      localTimeText(at, now),
      displayLine(title),
      before.join(', ') || 'no one',
      after.join(', ') || 'no one',
    ]),
  );
}
