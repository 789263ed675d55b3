import { parseJson } from '../../platform/json.ts';
import { shellWord } from '../../text/escape.ts';
import type { Registration } from '../../core/agent/registration.ts';
import type { Edited, HookFormat } from '../hook-layout.ts';
import { isAskCommand, isOwnCommand, PORTABLE_HOOK } from '../hook-places.ts';
import { ampText } from './amp-text.ts';
import { clineText } from './cline-text.ts';
import type { PluginParts } from './hand-over-text.ts';
import { opencodeText } from './opencode-text.ts';
import { piText } from './pi-text.ts';
import { windowsLine } from '../../text/windows-command.ts';

/**
 * A module that an agent loads into its process and that passes events to our hook. Agents run such modules sequentially, so ours
 * awaits nothing and swallows every error.
 *
 * With answers, that of OpenCode (https://opencode.ai/docs/plugins) also starts hookbell-ask for each request, beside OpenCode's
 * prompt. What that prints, if a person decided, it passes to OpenCode; without an answer, and in any doubt, it does nothing. It
 * never denies by itself.
 */
const pluginFormat = (textOf: (parts: PluginParts) => string): HookFormat => ({
  register(text, registration, hook) {
    if (text !== null && text.trim() !== '' && ownHook(text) === null) return foreign;
    const ask = text === null || hook === PORTABLE_HOOK ? null : askHook(text);
    return made(text, textOf(partsOf(registration, hook, ask)));
  },
  answers(text, registration, answers) {
    const hook = ownHook(text);
    if (hook === null) return foreign;
    const isTaken = answers !== 'remove' && registration.answers !== undefined;
    return made(text, textOf(partsOf(registration, hook, isTaken ? answers.hook : null)));
  },
  byHand: () => null,
  unregister(text) {
    const isOurs = ownHook(text) !== null;
    return { ok: true, text: isOurs ? '' : text, changed: isOurs, blank: isOurs };
  },
  list(text) {
    const hook = ownHook(text);
    if (hook === null) return { ok: true, hooks: [], asks: [] };
    const words = constant(text, 'words');
    const node = constant(text, 'program');
    const line = (program: string): string => {
      const others = Array.isArray(words) ? words.map(String) : [];
      if (typeof node === 'string') return windowsLine(node, others);
      return [program, ...others].map(shellWord).join(' ');
    };
    const registered = (program: string | null, name: string) => {
      const events = program === null ? [] : constant(text, name);
      return (Array.isArray(events) ? events : []).map((event) => ({
        event: String(event),
        command: line(program ?? ''),
        timeout: null,
      }));
    };
    return {
      ok: true,
      hooks: registered(hook, 'events'),
      asks: registered(askHook(text), 'requests'),
    };
  },
});

export const opencodePlugin = pluginFormat((parts) => opencodeText('OpenCode', parts));
export const kiloPlugin = pluginFormat((parts) => opencodeText('Kilo', parts));
export const piExtension = pluginFormat(piText);
export const clinePlugin = pluginFormat(clineText);
export const ampPlugin = pluginFormat(ampText);

const foreign = { ok: false, problem: 'it is a plugin of another author' } as const;

function partsOf(
  { events, node, words = [] }: Registration,
  hook: string,
  ask: string | null,
): PluginParts {
  return { hook, node, ask, words, events: events.map(({ name }) => name) };
}

function made(before: string | null, text: string): Edited {
  return { ok: true, text, changed: text !== before, blank: false };
}

/** The path of our hook in our plugin; null in any other file. */
function ownHook(text: string): string | null {
  const hook = constant(text, 'hook');
  return typeof hook === 'string' && isOwnCommand(hook) ? hook : null;
}

/** The path of hookbell-ask in our plugin; null without it. */
function askHook(text: string): string | null {
  const ask = constant(text, 'ask');
  return typeof ask === 'string' && isAskCommand(ask) ? ask : null;
}

/** The value of a constant, if it is written as JSON on one line. */
function constant(text: string, name: string): unknown {
  const value = new RegExp(`^const ${name} = (.*);$`, 'm').exec(text)?.[1];
  return parseJson(value);
}
