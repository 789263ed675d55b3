import { z } from 'zod';

/** The event name of a test: decoding accepts it only from a session made by hand. */
export const TEST_EVENT = 'HookbellTest';

/**
 * Events of programs that call hookbell themselves. `notify`: a script says something. `command`: a command ended. `tell`, `ask`:
 * an agent speaks through MCP; `over`: what it asked is over.
 */
export const programEvents = {
  notify: 'HookbellNotify',
  command: 'HookbellCommand',
  tell: 'HookbellTell',
  ask: 'HookbellAsk',
  over: 'HookbellAskOver',
} as const;

/** Null, empty and of the wrong type count as absent: the event lives without that field. */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** Of a channel or plan in the configuration. */
const ownName = z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/);

/** What a script wants: a plan or channels instead of those of the routes, and an alert, because it waits for a reaction. */
export const CallerWishes = z.object({
  plan: lenient(ownName),
  channels: lenient(z.array(ownName).max(20)),
  wait: lenient(z.boolean()),
});
export type CallerWishes = Readonly<z.output<typeof CallerWishes>>;

/** Whether a script or a command says it: plain text, its first line the headline. */
export function isOfScript({ event }: { readonly event: string }): boolean {
  return event === programEvents.notify || event === programEvents.command;
}

/** How long the notification of a test or a trial stays, ms: it needs no reaction. */
export const TEST_STANDS_MS = 10_000;

/**
 * `test`: the way from the hook to the desktop. `trial`: an event that tries the rules, sent once without later steps.
 * `trigger`: an event treated as an agent's, with its session, its alert and its whole plan.
 */
const purposes = ['test', 'trial', 'trigger'] as const;
type Purpose = (typeof purposes)[number];

/** The id of a session without an agent, for events made by hand. `random` is eight hexadecimal digits. */
export function handMadeSessionId(purpose: Purpose, random: string): string {
  return `${purpose}-${random.slice(0, 8)}`;
}

const handMade = new RegExp(`^(${purposes.join('|')})-[0-9a-f]{8}$`);

/** Whether it is such an id. */
export function isHandMade(sessionId: string | null): boolean {
  return purposeOf(sessionId) !== null;
}

/** Whether the event is a test or a trial: it does not count as traffic of agents. */
export function isTryout(sessionId: string | null): boolean {
  const purpose = purposeOf(sessionId);
  return purpose === 'test' || purpose === 'trial';
}

/** The purpose of a session made by hand; null: an agent runs it. */
export function purposeOf(sessionId: string | null): Purpose | null {
  const name = handMade.exec(sessionId ?? '')?.[1];
  return purposes.find((purpose) => purpose === name) ?? null;
}

/** The desktop, else the terminal, else only the inbox. Never another person. */
export function testChannelsOf(
  channels: readonly { readonly name: string; readonly type: string }[],
): readonly string[] {
  for (const wanted of ['desktop', 'terminal', 'inbox']) {
    const names = channels.filter(({ type }) => type === wanted).map(({ name }) => name);
    if (names.length > 0) return names;
  }
  return ['inbox'];
}
