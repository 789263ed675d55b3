import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';

import { handMadeSessionId } from '../../core/hand-made.ts';
import { collect, splitPair } from '../option-values.ts';
import { deliveryLines } from '../print-event.ts';
import { complainNotInForce } from '../read-config.ts';
import { triggerEvent } from '../trigger-event.ts';
import { UsageError } from '../../platform/errors.ts';
import { type DefineCommand, exitCodes } from '../context.ts';
import { allDelivered, printTests, testChannels } from '../test-channels.ts';

interface TriggerOptions {
  readonly set?: readonly string[];
  readonly setJson?: readonly string[];
  readonly agent?: string;
  readonly plan?: boolean;
}

/** `hookbell trigger EVENT`: sends a hand-made event through the real hook. */
export const defineTrigger: DefineCommand = (program, run) => {
  const command: Command = program
    .command('trigger', { hidden: true })
    .argument('<event>', 'name of the event, such as Notification or Stop')
    .description('send an event through the real hook and show its immediate deliveries')
    .option('--set <key=text>', 'set a field of the payload', collect)
    .option('--set-json <key=json>', 'set a field of the payload to a JSON value', collect)
    .option('--agent <name>', 'agent that sends the event')
    .option('--plan', 'treat it as a real session, with its alert and the later steps of the plan')
    .action((event: string) =>
      run(async (context) => {
        const { set = [], setJson = [], agent, plan = false } = command.opts<TriggerOptions>();
        const payload = {
          hook_event_name: event,
          // A new session each time, so that a repeated trigger notifies again.
          session_id: handMadeSessionId(plan ? 'trigger' : 'trial', randomUUID()),
          cwd: process.cwd(),
          ...Object.fromEntries(set.map((pair) => splitPair(pair))),
          ...Object.fromEntries(setJson.map((pair) => parsePair(pair))),
        };
        const words = agent === undefined ? [] : ['--agent', agent];
        const triggered = await triggerEvent(context, payload, words);
        if (context.json) {
          context.output.json(triggered.event);
        } else {
          context.output.line(`event ${triggered.event.eventId}: ${triggered.event.kind}`);
          for (const { text } of deliveryLines(triggered.event, triggered.channels)) {
            context.output.line(`  ${text}`);
          }
        }
        const isDead = triggered.event.deliveries.some(({ state }) => state === 'dead');
        return isDead ? exitCodes.failed : exitCodes.ok;
      }),
    );
};

function parsePair(pair: string): readonly [string, unknown] {
  const [key, text] = splitPair(pair);
  try {
    const value: unknown = JSON.parse(text);
    return [key, value];
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
    .description('send a test notification to the desktop, or through the named channels')
    .action((names: readonly string[], { all = false }: { readonly all?: boolean }) =>
      run(async (context) => {
        if (all && names.length > 0) throw new UsageError('Specify channels or --all, not both');
        const tests = await testChannels(context, all ? 'all' : names);
        if (context.json) context.output.json(tests);
        else printTests(context.output, tests);
        complainNotInForce(context, (await context.ask('GET /v1/status')).config);
        return allDelivered(tests) ? exitCodes.ok : exitCodes.failed;
      }),
    );
};
