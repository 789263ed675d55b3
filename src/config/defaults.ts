/** The parts of a configuration that hold where the file says nothing, in the words of the file. */
export const defaultChannels = { desktop: { type: 'desktop' } };
export const defaultHistory = { keep: '90d', max_size: '500MB' };

/** How `explain` calls the built-in routes, in the order of `defaultRoutes`. */
export const defaultRouteNames = ['default: waiting and failures', 'default: long turns'] as const;

/** Everything that waits for a person, failures, and finished turns longer than 20 s; every other event is silent. */
export function defaultRoutes(channels: readonly string[]) {
  const notify = channels.length === 0 ? ['inbox'] : channels;
  return [
    { match: { severity: ['warning', 'critical'] }, notify },
    { match: { kind: 'turn.done', longer_than: '20s' }, notify },
  ];
}
