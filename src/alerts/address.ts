import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Addressee } from '../core/hub/directory.ts';
import { notHere, type People } from '../core/hub/people.ts';
import type { Policy } from '../core/policy.ts';
import type { PlannedMessage } from './plan.ts';

/** The messages of a plan with their recipients. */
export interface Addressed {
  readonly messages: readonly PlannedMessage[];
  /** Why someone is not notified; a message without a known recipient is never sent to another person. */
  readonly decisions: readonly Decision[];
}

interface AddressContext {
  readonly event: Pick<HookEvent, 'owner'>;
  readonly people: People;
  readonly policy: Pick<Policy, 'personalChannels'>;
}

/** A person to notify, and how long after the step. */
interface Named {
  readonly email: string;
  readonly afterMs: number;
}

/**
 * Finds the people of messages to personal channels: one message each. Other channels are notified once, for all their
 * readers.
 */
export function address(
  messages: readonly PlannedMessage[],
  { event, people, policy: { personalChannels } }: AddressContext,
): Addressed {
  if (!messages.some(({ channel }) => personalChannels.includes(channel))) {
    return { messages, decisions: [] };
  }
  const reasons = new Set<string>();
  const found = messages.flatMap((message): readonly PlannedMessage[] => {
    const { channel, to = { type: 'owner' } } = message;
    if (!personalChannels.includes(channel)) return [message];
    const { named, without } = peopleOf(to, event, people);
    for (const reason of without) reasons.add(`"${channel}" is not notified: ${reason}`);
    return named.map(({ email, afterMs }) => ({
      ...message,
      recipient: email,
      delayMs: message.delayMs + afterMs,
      afterMs: message.afterMs + afterMs,
    }));
  });
  const sent = found.filter((message, place) => !isRepeated(message, found.slice(0, place)));
  const verdict = sent.length === 0 ? 'stop' : 'note';
  return {
    messages: sent,
    decisions: [...reasons].map((reason) => ({ stage: 'plan', verdict, reason })),
  };
}

function peopleOf(
  to: Addressee,
  { owner }: Pick<HookEvent, 'owner'>,
  people: People,
): { readonly named: readonly Named[]; readonly without: readonly string[] } {
  switch (to.type) {
    case 'owner':
      return owner === undefined
        ? { named: [], without: ['the owner of the machine is unknown'] }
        : present([owner.person], 0, people);
    case 'person':
      return present([to.email], 0, people);
    case 'group': {
      const members = people.group(to.name);
      if (members === null) return { named: [], without: [`there is no group "${to.name}"`] };
      if (members.length === 0) return { named: [], without: [`the group "${to.name}" is empty`] };
      return present(members, to.eachMs, people);
    }
  }
}

/** A person who is not there leaves no gap: the next one is notified at that time. */
function present(
  emails: readonly string[],
  eachMs: number,
  people: People,
): ReturnType<typeof peopleOf> {
  const unique = [...new Set(emails)];
  return {
    named: unique
      .filter((email) => people.wishesOf(email) !== null)
      .map((email, place) => ({ email, afterMs: place * eachMs })),
    without: unique.filter((email) => people.wishesOf(email) === null).map(notHere),
  };
}

/** Two steps may be due for one person at the same time, as when the owner is a member of the group. */
function isRepeated(message: PlannedMessage, before: readonly PlannedMessage[]): boolean {
  return (
    message.recipient !== undefined &&
    before.some(
      ({ channel, recipient, afterMs, condition }) =>
        channel === message.channel &&
        recipient === message.recipient &&
        afterMs === message.afterMs &&
        JSON.stringify(condition) === JSON.stringify(message.condition),
    )
  );
}
