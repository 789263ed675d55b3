import type { HookFacts } from '../../core/facts.ts';
import type { DialectName } from '../../core/hook-event.ts';
import { isHandMade } from '../../core/hand-made.ts';
import type { Dialect } from './dialect.ts';
import type { Wire } from './payload.ts';

/** What identifies an agent. */
type Identifiable = Pick<Dialect, 'agent' | 'evidence' | 'registrations'>;

/** `isProved`: for certain, so that the agent's traits apply. Without that it is a name to show, and "unknown" none. */
interface Identity {
  readonly agent: DialectName;
  readonly isProved: boolean;
}

/**
 * Finds out which agent sent a payload. A name alone brings nothing with it: only an agent that is proved has its transcripts read,
 * its answers passed on, its processes looked at. What decides, the strongest first:
 *
 * 1. The payload, which the agent itself writes: a repository can fill in texts, but neither add fields nor move a transcript.
 *    It proves. One that speaks for two agents belongs to neither.
 * 2. `--agent` in the command. It proves, unless other agents run that hook as well. What `hookbell notify --as` sends is what its
 *    user says.
 * 3. The environment, which proves nothing by itself: a repository can set any variable (`env` in the settings of an agent, `.env`),
 *    and an agent that was started in the shell of another one inherits its variables. It gives a name if the payload does
 *    not contradict, and adds to a proof where it agrees with the payload, such as in the id of the session.
 *
 * @param wire null when the payload could not be read
 */
export function identifyAgent(
  wire: Wire | null,
  facts: HookFacts,
  agents: readonly Identifiable[],
): Identity {
  const [proved, ...others] = wire === null ? [] : provedBy(wire, facts, agents);
  if (proved !== undefined) {
    return others.length === 0 ? { agent: proved.agent, isProved: true } : noAgent;
  }
  const word = facts.agent?.toLowerCase();
  const named = agents.find(({ agent }) => agent === word);
  const isBorrowed = named?.evidence.isRunByOthers === true;
  if (named !== undefined && (!isBorrowed || isHandMade(wire?.session_id ?? null))) {
    return { agent: named.agent, isProved: true };
  }
  const guessed =
    agents.find(({ evidence }) => evidence.variable?.(facts)) ??
    byHand(named) ??
    agents.find(({ evidence }) => evidence.inherited?.(facts, wire)) ??
    agents.find(({ evidence }) => wire !== null && evidence.values?.(wire));
  return guessed === undefined ? noAgent : { agent: guessed.agent, isProved: false };
}

/** An agent that only a person can have named: one event would have two names if the hooks of several files named it. */
function byHand(named: Identifiable | undefined): Identifiable | undefined {
  const isWritten = named?.registrations.some(({ words }) => words?.includes('--agent') === true);
  return isWritten === true ? undefined : named;
}

const noAgent: Identity = { agent: 'unknown', isProved: false };

function provedBy(
  wire: Wire,
  facts: HookFacts,
  agents: readonly Identifiable[],
): readonly Identifiable[] {
  const owner = ownerOf(wire.transcript_path ?? wire.transcriptPath, agents);
  return agents.filter((one) => one === owner || one.evidence.proof?.(wire, facts) === true);
}

/** The agent whose directory a transcript is in: the innermost, because a project may be in the directory of another one. */
function ownerOf(
  transcript: string | undefined,
  agents: readonly Identifiable[],
): Identifiable | null {
  const path = transcript?.replaceAll('\\', '/') ?? '';
  const places = agents.map((agent) => {
    const { home } = agent.evidence;
    return { agent, at: home === undefined ? -1 : path.lastIndexOf(`/${home}/`) };
  });
  const innermost = places.reduce((best, one) => (one.at > best.at ? one : best));
  return innermost.at === -1 ? null : innermost.agent;
}

/**
 * The last part of a directory, for people. A path that begins with a slash is a POSIX one, where a backslash is part
 * of the name; in all others both separate.
 *
 * @returns null for a root, which has no name
 */
export function projectName(directory: string | null): string | null {
  if (directory === null) return null;
  const parts = directory.split(directory.startsWith('/') ? '/' : /[\\/]/);
  const last = parts.findLast((part) => part !== '') ?? '';
  return last === '' || /^[A-Za-z]:$/.test(last) ? null : last;
}
