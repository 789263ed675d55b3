import type { RouteBranch } from '../alerts/route-event.ts';
import { parseJson } from '../platform/json.ts';
import type { AttemptView } from '../control/contract-views.ts';
import type { ChannelStateView, EventDeliveryView, EventView } from '../control/contract.ts';
import type { InstallStep, StepState } from '../setup/run-steps.ts';
import { redactJson, redactText } from '../text/redact.ts';
import { cutText, displayLine, displayText } from '../text/sanitize.ts';
import type { CommandContext } from './context.ts';
import type { Output } from './output.ts';
import { tookText } from '../text/duration.ts';
import { localTimeText, withLocalTimes } from './time-text.ts';

/** Fits on one terminal line after the name of a channel. */
const MOST_BRIEF = 72;

const FIND_OUT = 'Run "hookbell doctor" to find out why';
/** A desktop that cannot be found may not exist. */
const OTHER_CHANNEL = `${FIND_OUT}. On a machine without a desktop use another channel: "hookbell channel add"`;

interface DeliveryLine {
  readonly arrived: boolean;
  /** A short form, for deliveries that did not arrive. */
  readonly brief: string;
  /** What to do where it did not arrive. */
  readonly advice: string;
  /** For people: the channel, its state, the milliseconds from the hook, and the reason if there is one. */
  readonly text: string;
}

/** Lists where an event was delivered, or why it is not (yet), or why no one was notified. */
export function deliveryLines(
  { at, deliveries, decisions }: EventView,
  channels: readonly ChannelStateView[],
): readonly DeliveryLine[] {
  if (deliveries.length === 0) {
    const reason = displayLine(decisions.at(-1)?.reason ?? 'no decision');
    const text = `not sent: ${reason}`;
    return [{ arrived: false, brief: text, advice: FIND_OUT, text }];
  }
  return deliveries.map(({ channel, state, sentAt, reason: ownReason }) => {
    const view = channels.find(({ name }) => name === channel);
    const waits = state === 'pending' ? whyItWaits(view) : null;
    const reason = ownReason ?? waits?.reason ?? null;
    const ms = sentAt === null ? null : Math.max(0, Date.parse(sentAt) - Date.parse(at));
    const time = ms === null ? '' : ` in ${ms} ms`;
    const how = ownReason === null ? (waits?.how ?? '') : '';
    const why = reason === null ? '' : `: ${how}${displayLine(reason)}`;
    // The first of several reasons, without its remarks.
    const [brief = ''] = displayLine(reason ?? state).split(/; | \(/);
    return {
      arrived: state === 'sent',
      brief: `${channel}: ${cutText(brief, MOST_BRIEF)}`,
      advice: view?.type === 'desktop' ? OTHER_CHANNEL : FIND_OUT,
      text: `${channel}: ${state}${time}${why}`,
    };
  });
}

/** The reason of a channel for a table. The desktop tries several ways: the best one says what is missing. */
export function channelReason(type: string, reason: string): string {
  return type === 'desktop' ? (reason.split('; ')[0] ?? reason) : reason;
}

function whyItWaits(channel: ChannelStateView | undefined) {
  const reason = channel?.lastReason ?? 'no reason given';
  switch (channel?.state) {
    case 'open':
      return { how: 'the channel is paused after failures: ', reason };
    case 'limited':
      return { how: '', reason: 'the channel has to wait' };
    case 'broken':
      return { how: 'the channel cannot be used: ', reason };
    case 'ok':
    case undefined:
      return null;
  }
}

const marks: Readonly<Record<StepState, string>> = {
  done: '+',
  unchanged: '=',
  skipped: '-',
  failed: '!',
};

/** Prints what an installation did, or would do. */
export function printSteps(
  context: CommandContext,
  steps: readonly InstallStep[],
  dryRun: boolean,
): void {
  if (dryRun) context.output.line('This is what would be done:');
  for (const { state, name, text, advice } of steps) {
    printStep(context, state, name, displayLine(text));
    if (advice !== undefined) printAdvice(context, displayLine(advice));
  }
}

export function printStep(
  { output }: CommandContext,
  state: StepState,
  name: string,
  text: string,
): void {
  output.line(stepText(output, state, name, text));
}

export function stepText(
  output: Pick<Output, 'paint'>,
  state: StepState,
  name: string,
  text: string,
): string {
  const colour = state === 'failed' ? 'red' : state === 'done' ? 'green' : 'dim';
  return `${output.paint(colour, marks[state])} ${name.padEnd(10)} ${text}`;
}

/** Prints advice for the step above. */
export function printAdvice({ output }: CommandContext, text: string): void {
  output.line(`             ${text}`);
}

const WIDTH = 100;

/** Prints every route, with the taken ones marked and the failed conditions of the others. */
export function printTree(output: Output, tree: readonly RouteBranch[], now: number): void {
  for (const { route, plan, taken, unfit } of tree) {
    output.line(`${taken ? '>' : ' '} ${displayLine(route)} -> ${displayLine(plan)}`);
    for (const { condition, wanted, actual } of unfit) {
      const [is, wants] = [actual, wanted].map((text) => cutText(reasonText(text, now), WIDTH));
      output.line(`      ${condition} does not hold: ${is}, wanted ${wants}`);
    }
  }
}

/** Prints the path of an event for people: its classification, decisions and deliveries. */
export function printEvent(output: Output, event: EventView, now: number): void {
  const { paint } = output;
  output.line(paint('bold', `Event ${displayLine(event.eventId)}`));
  const received = localTimeText(event.at, now);
  const facts = Object.entries(event.facts).map(([key, value]) => `${key}=${value}`);
  printFields(output, [
    ['received', `${received}, read ${timeBetween(event.at, event.receivedAt)} later`],
    ['from', `${event.called ?? event.agent}, event "${event.event}"`],
    ['means', `${event.kind} (${event.severity})`],
    ['machine', event.machine],
    ['session', event.sessionId],
    ['project', event.project],
    ['directory', event.cwd],
    ['tool', event.tool],
    ['title', event.title],
    ['text', event.body],
    ['facts', facts.join('\n')],
  ]);

  output.line(paint('bold', 'Decisions'));
  for (const { stage, verdict, reason } of event.decisions) {
    output.line(`  ${stage.padEnd(9)} ${verdict.padEnd(7)} ${reasonText(reason, now)}`);
  }

  output.line(paint('bold', 'Deliveries'));
  if (event.deliveries.length === 0) {
    const isTest =
      event.kind === 'test' && event.decisions.some(({ stage }) => stage === 'delivery');
    output.line(`  none: ${isTest ? 'a test is sent directly' : 'no notification was sent'}`);
  }
  for (const delivery of event.deliveries) printDelivery(output, delivery, event, now);
}

/** Prints the payload, formatted if it is JSON, with likely secrets redacted: `--json` prints it as stored. */
export function printPayload(output: Output, { payload }: EventView): void {
  output.line(output.paint('bold', 'Payload'));
  const value = parseJson(payload);
  const text =
    value === undefined ? redactText(payload) : JSON.stringify(redactJson(value), null, 2);
  for (const line of displayText(text).split('\n')) output.line(`  ${line}`);
}

function printFields(output: Output, fields: readonly (readonly [string, string | null])[]): void {
  for (const [name, text] of fields) {
    if (text === null || text === '') continue;
    const [first = '', ...more] = displayText(text).split('\n');
    output.line(`  ${name.padEnd(9)} ${first}`);
    for (const line of more) output.line(`  ${' '.repeat(9)} ${line}`);
  }
}

function printDelivery(
  output: Output,
  delivery: EventDeliveryView,
  { at }: EventView,
  now: number,
): void {
  const { channel, recipient, state, step, sentAt, sentWith, dueAt, reason } = delivery;
  const time =
    sentAt === null
      ? `due ${localTimeText(dueAt, now)}`
      : `at ${localTimeText(sentAt, now)}, ${timeBetween(at, sentAt)} after the event`;
  // The last attempt, below, usually has the same reason.
  const isShownBelow = reason === null || reason === delivery.log.at(-1)?.reason;
  const why = isShownBelow ? '' : `: ${reasonText(reason, now)}`;
  const how = sentWith === null ? state : `sent with event ${displayLine(sentWith)}`;
  const twice = delivery.possibleDuplicate ? ' (may have arrived twice)' : '';
  const whom = recipient === undefined ? '' : ` to ${displayLine(recipient)}`;
  output.line(`  ${displayLine(channel)}${whom} ${how}, step ${step + 1}, ${time}${why}${twice}`);
  for (const attempt of delivery.log) output.line(`    ${attemptText(attempt, now)}`);
}

function attemptText({ number, startedAt, durationMs, outcome, reason }: AttemptView, now: number) {
  const why = reason === null ? '' : `: ${reasonText(reason, now)}`;
  return `attempt ${number} at ${localTimeText(startedAt, now)}, ${outcome} after ${tookText(durationMs)}${why}`;
}

/** The daemon writes UTC into its reasons; people read the times of their clock, as in all other lines. */
function reasonText(reason: string, now: number): string {
  return withLocalTimes(displayLine(reason), now);
}

function timeBetween(from: string, to: string): string {
  return tookText(Math.max(0, Date.parse(to) - Date.parse(from)));
}
