import type { ProgramResult } from '../support/run-program.ts';
import type { BusClient } from './bus-client.ts';
import { busctl, gdbus, namesIn } from './bus-client.ts';
import type { Programs } from './programs.ts';
import type { Look } from './rung.ts';

/** As many groups are replaced by id; older ones only by the hint. */
const REMEMBERED_GROUPS = 500;

/**
 * The notification server on the session bus, as the rungs that use it see it. They share its ids: what
 * notify-send showed, busctl can replace.
 */
export interface SessionBus {
  /** Asks the server what it can do, once a look; answers null, or why it cannot be reached. */
  trouble(look: Look): Promise<string | null>;
  /** What it can do, such as "actions, body-markup"; for people. */
  summary(): string;
  /** Whether it tells what people do with a pop-up. */
  tellsActions(): boolean;
  /** Whether people can type an answer into a pop-up. */
  takesReplies(): boolean;
  /** The body as this server has to get it. */
  bodyText(body: string): string;
  /** The id of the group's latest pop-up, or null. */
  latestId(key: string): string | null;
  remember(key: string, id: string): void;
  /** The group whose latest pop-up has this id, or null. */
  groupOf(id: string): string | null;
  /** Closes a pop-up; answers null, or why it could not. */
  close(id: string, signal: AbortSignal): Promise<string | null>;
}

/** Everything is asked and closed by busctl or gdbus, as notify-send can do neither. */
export function sessionBus(programs: Programs): SessionBus {
  const looks = new WeakMap<Look, Promise<string | null>>();
  const latestIds = new Map<string, string>();
  let capabilities: readonly string[] | null = null;

  async function ask(look: Look): Promise<string | null> {
    const answer = await call((client) => client.capabilities(), look.signal);
    capabilities = answer?.ok ? namesIn(answer.stdout) : null;
    // Without a program to ask with, the rung's own attempt has to tell.
    if (answer === null || answer.ok) return null;
    return answer.timedOut
      ? 'the notification server does not answer'
      : 'no notification server on the session bus';
  }

  async function call(
    argumentsFor: (client: BusClient) => string[],
    signal: AbortSignal,
  ): Promise<ProgramResult | null> {
    for (const client of [busctl, gdbus]) {
      const program = await programs.find(client.program);
      if (program !== null) return programs.ask(program, argumentsFor(client), { signal });
    }
    return null;
  }

  function groupOf(id: string): string | null {
    return [...latestIds].find(([, latest]) => latest === id)?.[0] ?? null;
  }

  return {
    trouble(look) {
      const answer = looks.get(look) ?? ask(look);
      looks.set(look, answer);
      return answer;
    },
    summary: () => capabilities?.join(', ') ?? 'abilities unknown',
    tellsActions: () => capabilities?.includes('actions') ?? false,
    takesReplies: () => capabilities?.includes('inline-reply') ?? false,
    bodyText(body) {
      // Unknown counts as able: an escape that shows does less harm than markup that works.
      const hasMarkup = capabilities?.includes('body-markup') ?? true;
      return hasMarkup ? escapeMarkup(body) : body;
    },
    latestId: (key) => latestIds.get(key) ?? null,
    remember(key, id) {
      latestIds.delete(key);
      latestIds.set(key, id);
      const [oldest] = latestIds.keys();
      if (latestIds.size > REMEMBERED_GROUPS && oldest !== undefined) latestIds.delete(oldest);
    },
    groupOf,
    async close(id, signal) {
      // The next pop-up of the group must be a new one, not a change of one that is gone.
      const group = groupOf(id);
      if (group !== null) latestIds.delete(group);
      const result = await call((client) => client.close(id), signal);
      if (result === null) return 'neither busctl nor gdbus is on PATH';
      return result.ok ? null : `the call to close it ${result.reason}`;
    },
  };
}

/** Only these three: other entities are not known to every server. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
