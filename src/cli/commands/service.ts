import type { DefineCommand } from '../context.ts';

/** The commands below `hookbell service`, in the order in which its help lists them. */
const parts: Readonly<Record<string, () => Promise<DefineCommand>>> = {
  sessions: async () => (await import('../vendor/commands/session.ts')).defineServiceSessions,
  messages: () => derived('messages', 'show a message of a session'),
  computers: async () => (await import('../vendor/commands/computers.ts')).defineComputers,
  users: () => derived('users', 'list the users of the organization'),
  limits: async () => (await import('../vendor/commands/limits.ts')).defineLimits,
  usage: async () => (await import('../vendor/commands/usage.ts')).defineUsage,
  budget: async () => (await import('../vendor/commands/budget.ts')).defineBudget,
  digest: async () => (await import('../vendor/commands/digest.ts')).defineDigest,
  readiness: async () => (await import('../vendor/commands/readiness.ts')).defineReadiness,
  controls: async () => (await import('../vendor/commands/controls.ts')).defineControls,
  api: async () => (await import('../vendor/commands/api.ts')).defineApi,
};

/** A noun whose commands all follow from the route table. */
async function derived(noun: string, description: string): Promise<DefineCommand> {
  const { defineDerived } = await import('../vendor/define-remote.ts');
  return (program, run) => defineDerived(program.command(noun).description(description), run);
}

/**
 * `hookbell service`: the commands that call the HTTP interface of the agent's vendor.
 *
 * @param words the words after "service"; only the named part is loaded
 */
export async function loadService(words: readonly string[]): Promise<DefineCommand> {
  const name = words.find((word) => !word.startsWith('-')) ?? '';
  const named = Object.hasOwn(parts, name) ? parts[name] : undefined;
  const wanted = named === undefined ? Object.values(parts) : [named];
  const defines = await Promise.all(wanted.map((load) => load()));
  return (program, run) => {
    const service = program
      .command('service')
      .description("sessions, usage, limits and reports from the agent service's HTTP API");
    for (const define of defines) define(service, run);
  };
}
