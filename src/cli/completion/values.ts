import { dialects } from '../../agents/registry.ts';
import type { CommandContext } from '../context.ts';
import { loadFullConfig } from '../read-config.ts';
import type { Proposal } from './propose.ts';
import type { ValueSource } from './value-source.ts';

/** Completion does not wait longer for the daemon. */
const PATIENCE = { timeoutMs: 1_000 };

/**
 * Returns the current values. Never rejects: completion must not print errors about the daemon or the configuration.
 * The shell completes files and directories itself.
 */
export async function currentValues(
  source: ValueSource,
  context: Pick<CommandContext, 'ask' | 'paths'>,
): Promise<readonly Proposal[]> {
  try {
    return await look(source, context);
  } catch {
    return [];
  }
}

async function look(
  source: ValueSource,
  { ask, paths }: Pick<CommandContext, 'ask' | 'paths'>,
): Promise<readonly Proposal[]> {
  switch (source) {
    case 'agents':
      return plain(Object.keys(dialects).filter((name) => name !== 'unknown'));
    case 'event-names':
      return eventNames();
    case 'channels':
    case 'plans': {
      const loaded = await loadFullConfig(paths.config);
      if (!loaded.ok) return [];
      const { channels, policy } = loaded.config;
      return plain(
        source === 'plans' ? Object.keys(policy.plans) : channels.map(({ name }) => name),
      );
    }
    case 'sessions': {
      const sessions = await ask('GET /v1/sessions', PATIENCE);
      return sessions.flatMap(({ sessionId, agent, project, title, state }) =>
        sessionId === null
          ? []
          : [{ value: sessionId, description: describe(agent, project, state, title) }],
      );
    }
    case 'projects': {
      const sessions = await ask('GET /v1/sessions', PATIENCE);
      return plain(sessions.flatMap(({ project }) => project ?? []));
    }
    case 'events': {
      const events = await ask('GET /v1/history', PATIENCE);
      return events.map(({ eventId, agent, event, at }) => ({
        value: eventId,
        description: describe(agent, event, at),
      }));
    }
    case 'deliveries': {
      const deliveries = await ask('GET /v1/queue', PATIENCE);
      return deliveries.map(({ id, channel, state, reason }) => ({
        value: id,
        description: describe(channel, state, reason),
      }));
    }
    case 'mutes': {
      const mutes = await ask('GET /v1/mutes', PATIENCE);
      return mutes.map(({ id, session, project, agent, channel, kind }) => ({
        value: id,
        description: describe(session, project, agent, channel, kind),
      }));
    }
    case 'files':
    case 'directories':
      return [];
  }
}

/** The agents' names of the events that hookbell registers. */
function eventNames(): readonly Proposal[] {
  const names = Object.values(dialects).flatMap(({ registrations }) =>
    registrations.flatMap(({ events }) => events.map(({ name }) => name)),
  );
  return plain(names.toSorted());
}

function plain(names: readonly string[]): readonly Proposal[] {
  return [...new Set(names)].map((value) => ({ value, description: '' }));
}

function describe(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join(' · ');
}
