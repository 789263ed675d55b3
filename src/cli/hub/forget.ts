import { countOf } from '../../text/count.ts';
import { displayLine } from '../../text/sanitize.ts';
import { confirm } from './confirm.ts';
import type { CommandContext } from '../context.ts';

/** The hub continues if the command ends before. */
const PATIENCE_MS = 3_600_000;

/** `hookbell hub forget`: erases a person, after a look at what there is. */
export async function forget(
  { ask, output, json }: CommandContext,
  email: string,
  { isConfirmed }: { readonly isConfirmed: boolean },
): Promise<void> {
  const person = displayLine(email);
  if (!isConfirmed) {
    const found = await ask('GET /v1/hub-forget', { query: { email }, timeoutMs: 60_000 });
    output.say(
      `The hub has ${countOf(found.machines, 'machine')} of ${person}, with ${countOf(found.sessions, 'session')} and ${countOf(found.events, 'event')}, and ${countOf(found.deliveries, 'message')} to them. ` +
        'All of it would be erased, and the address in the texts of others replaced.',
    );
    await confirm(`Erase ${person}? This cannot be undone.`);
  }
  const erased = await ask('POST /v1/hub-forget', { body: { email }, timeoutMs: PATIENCE_MS });
  if (json) return output.json(erased);
  output.say(
    `Erased ${person}: ${countOf(erased.machines, 'machine')}, ${countOf(erased.sessions, 'session')}, ${countOf(erased.events, 'event')}, ${countOf(erased.deliveries, 'message')}; ${countOf(erased.texts, 'text')} of others changed`,
  );
}
