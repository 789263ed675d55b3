import type { EventView } from '../../control/contract.ts';
import type { WhatDiffers } from '../../control/what-differs.ts';
import { INBOX } from '../../core/delivery.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { printEvent, printPayload, printTree } from '../print-event.ts';
import { shortId } from '../short-id.ts';

/** How many events of the session are searched for the one that the last event repeats. */
const LOOKED_BACK = 50;

/** `hookbell explain [ID|last]`: why an event did or did not notify you. */
export const defineExplain: DefineCommand = (program, run) => {
  program
    .command('explain')
    .argument('[id]', 'event id or its beginning, or "last"', 'last')
    .description('explain why an event did or did not notify you')
    .action(run(explain));
};

async function explain(context: CommandContext, id: string): Promise<void> {
  const { output, json, verbose, ask } = context;
  const event =
    id === 'last' ? await lastEvent(context) : await ask('GET /v1/events', { part: id });
  const differs = await differsFor(event, context);
  const tree = differs?.tree ?? null;
  if (json) return output.json(tree === null ? event : { ...event, tree });
  printEvent(output, event, Date.now());
  if (differs !== null) {
    output.line(output.paint('bold', 'What would have to change'));
    output.line(`  ${displayLine(differs.sentence)}`);
  }
  if (tree !== null) printTree(output, tree, Date.now());
  if (verbose) printPayload(output, event);
}

/**
 * Returns the newest event. If it only repeats another one, such as the notification that Claude Code sends some seconds
 * after a permission request, returns the repeated one.
 */
async function lastEvent({ output, ask }: CommandContext): Promise<EventView> {
  const last = await ask('GET /v1/events', { part: 'last' });
  const { eventId, event, sessionId, deliveries, decisions } = last;
  const isRepetition = decisions.some(
    ({ stage, verdict }) => stage === 'repeat' && verdict === 'stop',
  );
  if (!isRepetition || deliveries.length > 0 || sessionId === null) return last;
  const query = { session: sessionId, before: eventId, limit: String(LOOKED_BACK) };
  const earlier = await ask('GET /v1/history', { query });
  const repeated = earlier.find((one) => one.deliveries.length > 0);
  if (repeated === undefined) return last;
  output.say(
    `The last event ("${displayLine(event)}") repeats this one: see "hookbell explain ${shortId(eventId)}"`,
  );
  return ask('GET /v1/events', { part: repeated.eventId });
}

/** Returns null for an event that notified someone. The code that decides again is loaded only for the others. */
async function differsFor(
  event: EventView,
  { paths }: CommandContext,
): Promise<WhatDiffers | null> {
  if (event.deliveries.some(({ channel }) => channel !== INBOX)) return null;
  const { explainEvent } = await import('../explain-event.ts');
  return explainEvent(event, paths.config);
}
