import type { Registration } from '../../core/registration.ts';
import type { HookInspection, HooksElsewhere } from '../../setup/inspect-hooks.ts';

/** The events of the settings that one of the other places registers, too, and that place; null: there are none. */
export function doubledEvents({ hooks, elsewhere }: HookInspection): {
  readonly place: HooksElsewhere;
  readonly events: readonly string[];
} | null {
  let before = new Set(hooks.map(({ event }) => event));
  for (const place of elsewhere) {
    const own = new Set(place.hooks.map(({ event }) => event));
    const events = [...own].filter((event) => before.has(event));
    if (events.length > 0) return { place, events };
    before = new Set([...before, ...own]);
  }
  return null;
}

/** How a registration is undone that is not in the settings of the user. */
export function removalOf({ plugin, path }: HooksElsewhere, { programs }: Registration): string {
  if (plugin === null) return `Take the entries that name "hookbell-hook" out of ${path}`;
  return `Take the plugin out: run "${programs[0] ?? 'PROGRAM'} plugin uninstall ${plugin}"`;
}
