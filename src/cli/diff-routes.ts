import type { EventView } from '../control/contract.ts';
import { displayLine } from '../text/sanitize.ts';
import { type CommandContext, type ExitCode, exitCodes } from './context.ts';
import { requireNamedConfig } from './read-config.ts';
import { type Replayed, replayTimeline } from './replay-timeline.ts';
import { shortenIds } from './short-id.ts';
import { localTimeText } from './time-text.ts';
import { entryOf, recordedEvents } from './timeline.ts';

/** How two configurations notify of one event. */
interface Difference extends Pick<EventView, 'eventId' | 'at' | 'title'> {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Replays the recorded history with two configurations and lists the events that would notify different channels; exits
 * with 1 if there are any.
 */
export async function diffRoutes(
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
