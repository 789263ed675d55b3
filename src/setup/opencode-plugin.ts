import { parseJson } from '../platform/json.ts';
import { shellWord } from '../text/escape.ts';
import type { HookFormat } from './hook-layout.ts';
import { isOwnCommand, PORTABLE_HOOK } from './hook-places.ts';

/**
 * A plugin of OpenCode that passes events to our hook (https://opencode.ai/docs/plugins). OpenCode runs its plugins
 * sequentially in its own process, so this one awaits nothing and swallows every error. One hook runs at a time: of two
 * at once the later event could arrive first, such as the end of a turn before the interruption that caused it.
 */
export const opencodePlugin: HookFormat = {
  register(text, { events, words = [] }, hook) {
    const wanted = pluginText(
      hook,
      words,
      events.map(({ name }) => name),
    );
    if (text !== null && text.trim() !== '' && ownHook(text) === null) {
      return { ok: false, problem: 'it is a plugin of another author' };
    }
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
    const events = constant(text, 'events');
    const words = constant(text, 'words');
    const command = [hook, ...(Array.isArray(words) ? words.map(String) : [])]
      .map(shellWord)
      .join(' ');
    return {
      ok: true,
      asks: [],
      hooks: (Array.isArray(events) ? events : []).map((event) => ({
        event: String(event),
        command,
        timeout: null,
      })),
    };
  },
};

/** The path of our hook in our plugin; null in any other file. */
function ownHook(text: string): string | null {
  const hook = constant(text, 'hook');
  return typeof hook === 'string' && isOwnCommand(hook) ? hook : null;
}

/** The value of a constant, if it is written as JSON on one line. */
function constant(text: string, name: string): unknown {
  const value = new RegExp(`^const ${name} = (.*);$`, 'm').exec(text)?.[1];
  return parseJson(value);
}

const PORTABLE_IMPORTS = `import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
`;
/** The directories of the user who runs OpenCode, because this file may be in a repository. */
const PORTABLE_LOOK_UP = `[userInfo().homedir + '/.local/share', '/usr/lib']
  .map((place) => place + '/hookbell/hooks/' + hook)
  .find((path) => existsSync(path))`;

/**
 * A prompt is a message of the user, which OpenCode updates many times; its own messages are not forwarded. A subagent
 * runs in a session that names its parent (`parentID` of `session.created`): its requests and its end belong to the
 * parent session, its end with the subagent's session as `agent_id`, and its prompts do not come from a person.
 */
function pluginText(hook: string, words: readonly string[], events: readonly string[]): string {
  return `// Hands events of OpenCode to hookbell. Written by "hookbell install", removed by "hookbell uninstall".
import { spawn } from 'node:child_process';
${hook === PORTABLE_HOOK ? PORTABLE_IMPORTS : ''}
const hook = ${JSON.stringify(hook)};
const program = ${hook === PORTABLE_HOOK ? PORTABLE_LOOK_UP : 'hook'};
const words = ${JSON.stringify(words)};
const events = ${JSON.stringify(events)};
const parents = new Map();
const spoken = new Map();
const waiting = [];
let lastPrompt = null;
let running = false;

function next() {
  const told = waiting.shift();
  running = told !== undefined;
  if (!running) return;
  try {
    const child = spawn(program, words, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    const goOn = () => {
      clearTimeout(timer);
      child.removeListener('exit', goOn);
      child.removeListener('error', goOn);
      next();
    };
    const timer = setTimeout(goOn, 1000);
    timer.unref?.();
    child.on('exit', goOn);
    child.on('error', goOn);
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(told));
    child.unref();
  } catch {
    // OpenCode must not notice.
    running = false;
  }
}

function known(session) {
  let id = session;
  while (parents.has(id)) id = parents.get(id);
  return id;
}

export const Hookbell = async ({ directory } = {}) => ({
  event: async ({ event }) => {
    try {
      const { type, properties } = event;
      if (!program) return;
      const { part } = properties;
      if (type === 'message.part.updated' && part.type === 'text' && part.messageID !== lastPrompt) {
        spoken.set(part.sessionID, part.text);
      }
      if (!events.includes(type)) return;
      const { info } = properties;
      if (type === 'session.created' && info.parentID && info.parentID !== info.id) {
        parents.set(info.id, info.parentID);
        return;
      }
      const own = properties.sessionID ?? info?.sessionID ?? info?.id;
      const sessionID = known(own);
      const isSubagent = sessionID !== own;
      if (type === 'session.deleted') {
        parents.delete(own);
        spoken.delete(own);
      }
      if (isSubagent && (type === 'session.deleted' || type === 'message.updated')) return;
      if (type === 'message.updated') {
        const { id, role } = info;
        if (role !== 'user' || id === lastPrompt) return;
        lastPrompt = id;
      }
      const told = { type, properties, cwd: directory };
      if (type === 'session.idle') {
        told.last_assistant_message = spoken.get(own);
        spoken.delete(own);
      }
      if (isSubagent) told.properties = { ...properties, sessionID };
      if (isSubagent && type.startsWith('session.')) told.agent_id = own;
      waiting.push(told);
      if (!running) next();
    } catch {
      // OpenCode must not notice.
    }
  },
});
`;
}
