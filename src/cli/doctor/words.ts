import { dialects } from '../../agents/registry.ts';
import { eventWord, notificationWord } from '../../agents/support/vocabulary.ts';
import { FAILED_TURN, SEEN_EVENT } from '../../core/agent/witness.ts';
import { programEvents, TEST_EVENT } from '../../core/hand-made.ts';
import type { ReceivedWord } from '../../core/history.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import { type Check, defineGuide } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const wordsGuide = defineGuide('unknown events', {
  some: {
    state: 'warning',
    remedy: 'Upgrade hookbell, or report them: "hookbell history --json" shows what they contain',
  },
});

const DAYS = 30;
const DAY_MS = 86_400_000;
const MOST_SHOWN = 10;
const LENGTH = 60;

/** Lists the unknown words with their counts, the most frequent first. */
export async function checkWords({ ask, now }: DoctorPorts): Promise<Check> {
  const since = String(now() - DAYS * DAY_MS);
  const received = await ask('GET /v1/words-received', { query: { since } });
  const unknown = received.filter((word) => !isKnownWord(word));
  if (unknown.length === 0) return wordsGuide.ok(`none in ${DAYS} days`);
  const left = unknown.length - MOST_SHOWN;
  const shown = unknown.slice(0, MOST_SHOWN).map(wordText);
  return wordsGuide.found('some', [...shown, ...(left > 0 ? [`${left} more`] : [])].join(', '));
}

/** They have the urgency in place of a type. */
const ownEvents: readonly string[] = [TEST_EVENT, FAILED_TURN, ...Object.values(programEvents)];

/** Whether the vocabulary of its agent has this event and, if it is a notification with a type, this type. */
function isKnownWord(word: Omit<ReceivedWord, 'count'>): boolean {
  const { agent, event, notificationType: type } = word;
  if (agent === 'service' || ownEvents.includes(event)) return true;
  if (event.startsWith(SEEN_EVENT)) return true;
  const { vocabulary } = dialects[agent];
  const isKnown = eventWord(vocabulary, event) !== null;
  return isKnown && (type === null || notificationWord(vocabulary, type) !== null);
}

/** 'claude Notification "deploy_gate" 12 times' */
function wordText({ agent, event, notificationType: type, count }: ReceivedWord): string {
  const typed = type === null ? '' : ` "${clean(type)}"`;
  return `${agent} ${clean(event)}${typed} ${count === 1 ? 'once' : `${count} times`}`;
}

function clean(text: string): string {
  return cutText(displayLine(text), LENGTH);
}
