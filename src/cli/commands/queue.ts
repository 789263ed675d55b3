import type { Command } from 'commander';

import type { CountView } from '../../control/contract-views.ts';
import type { DeliveryView } from '../../control/contract.ts';
import { deliveryStates } from '../../core/delivery.ts';
import { NotFoundError, UsageError } from '../../platform/errors.ts';
import { countOf } from '../../text/count.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { readLimit, readWords } from '../option-values.ts';
import type { Output } from '../output.ts';
import { shortenIds } from '../short-id.ts';
import { localTimeText, withLocalTimes } from '../time-text.ts';

interface ListOptions {
  readonly state?: readonly string[];
  readonly limit?: number;
}

/** `hookbell queue [list|retry|drop]`: lists, retries and drops undelivered notifications. */
export const defineQueue: DefineCommand = (program, run) => {
  const queue = program
    .command('queue')
    .description('list undelivered notifications, retry or drop them');

  queue
    .command('list', { isDefault: true })
    .description('list deliveries that are waiting, being retried or given up')
    .option('--state <list>', `only these: ${deliveryStates.join(', ')}`, readWords(deliveryStates))
    .option('--limit <n>', 'at most this many', readLimit)
    .action(
      run(async ({ output, json, ask }, { state, limit }: ListOptions) => {
        const deliveries = await ask('GET /v1/queue', {
          query: { state: state?.join(','), limit: limit?.toString() },
        });
        if (json) output.json(deliveries);
        else printQueue(output, deliveries, Date.now());
      }),
    );

  choosing(queue.command('retry'), 'all that were given up')
    .description('send again deliveries that were given up or dropped')
    .action(run(changing('POST /v1/queue-retry', 'to be sent again')));

  choosing(queue.command('drop'), 'all that are not sent')
    .description('drop deliveries that have not been sent')
    .action(run(changing('POST /v1/queue-drop', 'dropped')));
};

function choosing(command: Command, all: string): Command {
  return command.argument('[id...]', 'delivery ids from "queue list"').option('--all', all);
}

function printQueue(output: Output, deliveries: readonly DeliveryView[], now: number): void {
  if (deliveries.length === 0) return output.say('The queue is empty');
  const short = shortenIds(deliveries.map(({ id }) => id));
  const shortEvent = shortenIds(deliveries.map(({ eventId }) => eventId));
  output.table(
    ['DELIVERY', 'CHANNEL', 'STATE', 'TRIES', 'DUE', 'EVENT', 'REASON'],
    deliveries.map((delivery) => [
      short(delivery.id),
      delivery.recipient === undefined
        ? delivery.channel
        : `${delivery.channel} to ${delivery.recipient}`,
      delivery.state,
      String(delivery.attempts),
      delivery.state === 'pending' || delivery.state === 'retrying'
        ? localTimeText(delivery.dueAt, now)
        : '-',
      shortEvent(delivery.eventId),
      withLocalTimes(delivery.reason ?? '', now),
    ]),
  );
}

/**
 * Asks the daemon to change deliveries and prints how many were changed.
 *
 * @throws UsageError unless either ids or all are chosen, NotFoundError when none of the ids can be changed
 */
function changing(name: 'POST /v1/queue-retry' | 'POST /v1/queue-drop', done: string) {
  return async (
    { output, json, ask }: CommandContext,
    ids: readonly string[],
    { all = false }: { readonly all?: boolean },
  ): Promise<ExitCode> => {
    if (ids.length > 0 === all) {
      const hint = 'Run "hookbell queue" to list them';
      throw new UsageError('Specify either delivery ids or --all', { hint });
    }
    const changed: CountView = await ask(name, { body: all ? { all } : { ids } });
    if (changed.count === 0 && !all) {
      const hint = 'Run "hookbell queue" to list those that can';
      throw new NotFoundError('No delivery with these ids can be changed', { hint });
    }
    const left = new Set(ids).size - changed.count;
    const rest = left > 0 ? `, ${left} cannot be changed; "hookbell queue" lists what can` : '';
    if (json) output.json(changed);
    else output.say(`${countOf(changed.count, 'delivery', 'deliveries')} ${done}${rest}`);
    return left > 0 ? exitCodes.partial : exitCodes.ok;
  };
}
