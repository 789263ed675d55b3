/** Sources of values that are not fixed in the program. */
export type ValueSource =
  | 'agents'
  | 'channels'
  | 'deliveries'
  | 'directories'
  | 'event-names'
  | 'events'
  | 'files'
  | 'mutes'
  | 'plans'
  | 'projects'
  | 'sessions';

/** By the name of an argument, an option, or its placeholder in angle brackets. */
const byName: Readonly<Record<string, ValueSource>> = {
  agent: 'agents',
  channel: 'channels',
  directory: 'directories',
  event: 'event-names',
  file: 'files',
  'file.csv': 'files',
  project: 'projects',
  report: 'files',
  session: 'sessions',
};

/** By command, where a name has a different meaning. */
const byPlace: Readonly<Record<string, ValueSource>> = {
  'explain id': 'events',
  'history after': 'events',
  'history before': 'events',
  'queue drop id': 'deliveries',
  'queue retry id': 'deliveries',
  'route diff new': 'files',
  'route diff old': 'files',
  'route test event': 'files',
  'route test verify': 'plans',
  'mute off id': 'mutes',
};

/** Returns the source of the values of an argument or option; null if only the user knows them. */
export function sourceOf(command: string, ...names: readonly string[]): ValueSource | null {
  for (const name of names) {
    const found = byPlace[`${command} ${name}`] ?? byName[name];
    if (found !== undefined) return found;
  }
  return null;
}
