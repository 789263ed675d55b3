import { parseJson } from '../../platform/json.ts';
import { shellWord } from '../../text/escape.ts';
import type { HookFormat } from '../hook-layout.ts';
import { isAskCommand, isOwnCommand, PORTABLE_HOOK } from '../hook-places.ts';
import { pluginText } from './opencode-text.ts';
import { windowsLine } from '../../text/windows-command.ts';

/**
 * A plugin of OpenCode that passes events to our hook (https://opencode.ai/docs/plugins). OpenCode runs its plugins
 * sequentially in its own process, so this one awaits nothing and swallows every error. One hook runs at a time: of two
 * concurrently, the later event could arrive first, such as the end of a turn before the interruption that caused it.
 *
 * With answers it also starts hookbell-ask for each request, beside OpenCode's prompt. What that prints, if a person decided, it
 * passes to OpenCode; without an answer, and in any doubt, it does nothing. It never denies by itself.
 */
export const opencodePlugin: HookFormat = {
  register(text, { events, node, words = [] }, hook) {
    if (text !== null && text.trim() !== '' && ownHook(text) === null) {
      return { ok: false, problem: 'it is a plugin of another author' };
    }
    const ask = text === null || hook === PORTABLE_HOOK ? null : askHook(text);
    const wanted = pluginText({ hook, node, ask, words, events: events.map(({ name }) => name) });
    return { ok: true, text: wanted, changed: text !== wanted, blank: false };
  },
  answers(text, { events, node, words = [] }, answers) {
    const hook = ownHook(text);
    if (hook === null) return { ok: false, problem: 'it is a plugin of another author' };
    const ask = answers === 'remove' ? null : answers.hook;
    const wanted = pluginText({ hook, node, ask, words, events: events.map(({ name }) => name) });
    return { ok: true, text: wanted, changed: text !== wanted, blank: false };
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
};

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
