import { z } from 'zod';

import { parseJson } from '../../platform/json.ts';
import { commandMembers, type HookFormat, layouts, type RegisteredHook } from '../hook-layout.ts';
import { isOwnCommand } from '../hook-places.ts';

const KiroFile = z.object({
  hooks: z.array(
    z.object({
      trigger: z.string(),
      action: z.object({ command: z.string() }),
      timeout: z.number().nullish().catch(null),
    }),
  ),
});

/** Hooks of Kiro, https://kiro.dev/docs/hooks: it reads every file of the folder, so this one is ours alone. */
export const kiroHooks: HookFormat = {
  register(text, registration, hook) {
    if (text !== null && text.trim() !== '' && ownHooks(text) === null) return foreign;
    const { events, words = [] } = registration;
    const { command } = commandMembers(layouts.vscode, registration, hook, words);
    const hooks = events.map(({ name, timeoutSeconds }) => ({
      name: `hookbell ${name}`,
      trigger: name,
      action: { type: 'command', command },
      timeout: timeoutSeconds,
    }));
    const written = `${JSON.stringify({ version: 'v1', hooks }, null, 2)}\n`;
    return { ok: true, text: written, changed: written !== text, blank: false };
  },
  answers: (text) => ({ ok: true, text, changed: false, blank: false }),
  byHand: () => null,
  unregister(text) {
    const isOurs = ownHooks(text) !== null;
    return { ok: true, text: isOurs ? '' : text, changed: isOurs, blank: isOurs };
  },
  list: (text) => ({ ok: true, hooks: ownHooks(text) ?? [], asks: [] }),
};

const foreign = { ok: false, problem: 'it has hooks of another author' } as const;

/** Null for a file with anything else in it. */
function ownHooks(text: string): readonly RegisteredHook[] | null {
  const { hooks = [] } = KiroFile.safeParse(parseJson(text)).data ?? {};
  if (hooks.length === 0 || !hooks.every(({ action }) => isOwnCommand(action.command))) return null;
  return hooks.map(({ trigger, action: { command }, timeout = null }) => ({
    event: trigger,
    command,
    timeout,
  }));
}
