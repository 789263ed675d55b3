import type { DefineCommand } from '../context.ts';

/** The commands below `hookbell service`, in the order in which its help lists them. */
const parts: readonly {
  readonly name: string;
  readonly load: () => Promise<DefineCommand>;
}[] = [
  {
    name: 'sessions',
    load: async () => (await import('../vendor/commands/session.ts')).defineServiceSessions,
  },
  {
    name: 'messages',
    load: async () =>
      (await import('../vendor/define-remote.ts')).defineNoun(
        'messages',
        'show a message of a session',
      ),
  },
  {
    name: 'computers',
    load: async () => (await import('../vendor/commands/computers.ts')).defineComputers,
  },
  {
    name: 'users',
    load: async () =>
      (await import('../vendor/define-remote.ts')).defineNoun(
        'users',
        'list the users of the organization',
      ),
  },
  { name: 'limits', load: async () => (await import('../vendor/commands/limits.ts')).defineLimits },
  { name: 'usage', load: async () => (await import('../vendor/commands/usage.ts')).defineUsage },
  { name: 'budget', load: async () => (await import('../vendor/commands/budget.ts')).defineBudget },
  { name: 'digest', load: async () => (await import('../vendor/commands/digest.ts')).defineDigest },
  {
    name: 'readiness',
    load: async () => (await import('../vendor/commands/readiness.ts')).defineReadiness,
  },
  {
    name: 'controls',
    load: async () => (await import('../vendor/commands/controls.ts')).defineControls,
  },
  { name: 'api', load: async () => (await import('../vendor/commands/api.ts')).defineApi },
];

/**
 * `hookbell service`: the commands that call the HTTP interface of the agent's vendor.
 *
 * @param words the words after "service"; only the named part is loaded
 */
export async function loadService(words: readonly string[]): Promise<DefineCommand> {
  const name = words.find((word) => !word.startsWith('-'));
  const named = parts.find((part) => part.name === name);
  const wanted = named === undefined ? parts : [named];
  const defines = await Promise.all(wanted.map(({ load }) => load()));
  return (program, run) => {
    const service = program
      .command('service')
      .description("sessions, usage, limits and reports from the agent service's HTTP API");
    for (const define of defines) define(service, run);
  };
}
