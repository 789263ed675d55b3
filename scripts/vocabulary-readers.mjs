// Where each published program lists its events and types of notification. A reader takes the files of the package and returns both
// lists; it throws if it does not find one, because then the program was built in another way.

import { brotliDecompressSync } from 'node:zlib';

/** What the vocabulary lacks, and what it lists without need, one sentence each. */
export function comparison({ events, notifications }, found) {
  return [
    ...differences('event', Object.keys(events), found.events),
    ...differences('type of notification', Object.keys(notifications), found.notifications),
  ];
}

function differences(what, listed, found) {
  return [
    ...found
      .filter((name) => !listed.includes(name))
      .map((name) => `new ${what} "${name}", undecided`),
    ...listed.filter((name) => !found.includes(name)).map((name) => `${what} "${name}" is gone`),
  ];
}

export const readers = {
  claude({ ending }) {
    const program = largest(ending('claude'));
    const types = listAt(program, '["permission_prompt","idle_prompt"');
    // The values of the matcher are that list and some more.
    const more = textAt(program, 'summary:"When notifications are sent"', 800).match(
      /values:\[\.\.\.\w+,([^\]]*)\]/,
    );
    return {
      events: listAt(program, '["PreToolUse","PostToolUse"'),
      notifications: [...types, ...(more === null ? [] : JSON.parse(`[${more[1]}]`))],
    };
  },
  droid({ ending }) {
    const program = largest(ending('droid'));
    return {
      events: listAt(program, '["PreToolUse","PostToolUse","Notification"'),
      notifications: unique(
        places(program, 'notificationType:"', 60).map((text) => text.split('"')[1]),
      ),
    };
  },
  codex({ ending }) {
    const program = largest(ending('codex'));
    const named = places(program, '"hook_event_name": {', 120).flatMap(
      (text) => text.match(/"const": "(\w+)"/)?.[1] ?? [],
    );
    textAt(program, 'agent-turn-complete', 1);
    return {
      events: unique([...some(named, 'hook_event_name'), 'agent-turn-complete']),
      notifications: [],
    };
  },
  gemini: ({ ending }) => ({
    events: members(ending('.js'), 'HookEventName'),
    notifications: members(ending('.js'), 'NotificationType'),
  }),
  qwen({ ending }) {
    const calls = ending('.js').flatMap((file) => places(file, 'fireNotificationHook(', 400));
    const types = calls.flatMap((text) => text.match(/"([a-z_]+)" \/\* \w+ \*\//)?.[1] ?? []);
    return {
      events: members(ending('.js'), 'HookEventName'),
      notifications: unique(some(types, 'fireNotificationHook')),
    };
  },
  copilot({ unpackedBy }) {
    const { ending } = unpackedBy('copilot', ['--version']);
    const [api] = ending('api.schema.json').map((file) => JSON.parse(file).definitions);
    const [session] = ending('session-events.schema.json').map(
      (file) => JSON.parse(file).definitions,
    );
    const kinds = session.SystemNotification.anyOf.map(
      ({ $ref }) => session[$ref.split('/').at(-1)].properties.type.const,
    );
    // Both stand in the middle of other texts, so that only their presence can be read.
    const asked = ['permission_prompt', 'elicitation_dialog'];
    for (const type of asked) textAt(largest(ending('runtime.node')), type, 1);
    return { events: api.HookType.enum, notifications: [...asked, ...kinds] };
  },
  grok({ ending }) {
    const program = brotliDecompressSync(largest(ending('grok.br')));
    const events = textAt(program, '## Hook Events', 4_000).split('\n\n')[2];
    const rows = some([...events.matchAll(/^\| `(\w+)` \| (.*)/gm)], 'table of events');
    const types = [
      rows.find(([, name]) => name === 'Notification')?.[2] ?? '',
      textAt(program, 'Events that trigger notifications. Options: ', 400).split(' |')[0],
    ];
    return {
      events: rows.map(([, name]) => name),
      notifications: unique(
        types.flatMap((text) => some(text.match(/(?<=`)[a-z_]+(?=`)/g) ?? [], 'type')),
      ),
    };
  },
  cline({ ending }) {
    const types = some(ending('dist/agent.d.ts'), 'types').toString();
    const [hooks] = some(types.match(/interface AgentRuntimeHooks \{[^]*?\n\}/) ?? [], 'hooks');
    const names = [...hooks.matchAll(/^ +(\w+)\?: \(/gm)].map(([, name]) => name);
    return { events: names, notifications: [] };
  },
  pi({ ending }) {
    const [manual] = some(ending('docs/extensions.md'), 'manual');
    return {
      events: unique(places(manual, 'pi.on("', 60).map((text) => text.split('"')[1])).filter(
        (name) => name !== 'event_name',
      ),
      notifications: [],
    };
  },
  kimi({ ending }) {
    const [program] = some(ending('main.mjs'), 'program');
    return {
      events: listAt(program, '["PreToolUse"', 'HOOK_EVENT_TYPES = '),
      notifications: listAt(program, '["completed"', 'TERMINAL_STATUSES = new Set(').map(
        (status) => `task.${status}`,
      ),
    };
  },
  qoder({ ending }) {
    const [program] = some(ending('qodercli.js'), 'program');
    const calls = places(program, 'fireNotificationEvent("', 80);
    return {
      events: [...textAt(program, '.PreToolUse="PreToolUse"', 2_000).matchAll(/\.(\w+)="\1"/g)].map(
        ([, name]) => name,
      ),
      notifications: unique(some(calls, 'notification').map((text) => text.split('"')[1])),
    };
  },
  auggie({ ending }) {
    const [program] = some(ending('augment.mjs'), 'program');
    const types = program.toString('latin1').matchAll(/"(\w+)",\w+\.notificationMessage/g);
    return {
      events: listAt(program, '["PreToolUse","PostToolUse","Stop"'),
      notifications: unique([...types].map(([, type]) => type)),
    };
  },
  letta({ ending }) {
    const [types] = some(ending('hooks/types.d.ts'), 'types of hooks');
    const names = ['ToolHookEvent', 'SimpleHookEvent'].flatMap((name) =>
      textAt(types, `export type ${name} = `, 500)
        .split(';')[0]
        .match(/(?<=")\w+(?=")/g),
    );
    return { events: names, notifications: [] };
  },
  opencode({ ending }) {
    const types = ending('types.gen.d.ts').flatMap((file) => [
      ...file
        .toString()
        .matchAll(
          /export type \w*Event\w* = \{\s*(?:id: string;\s*)?(?:metadata\?:[^;]+;\s*)?type: "([a-z][\w-]*(?:\.[\w-]+)+)"/g,
        ),
    ]);
    return {
      events: unique(some(types, 'types of events').map(([, name]) => name)),
      notifications: [],
    };
  },
};

/** The members of an enumeration that TypeScript compiled. */
function members(files, name) {
  const all = files.flatMap((file) =>
    places(file, `${name}2["`, 200).map((text) => text.match(/\["\w+"\] = "(\w+)"/)?.[1]),
  );
  return unique(
    some(
      all.filter((member) => member !== undefined),
      name,
    ),
  );
}

/** The first list of strings that begins so, whatever the white space, behind these words. */
function listAt(file, beginning, behind = '') {
  const text = behind === '' ? textAt(file, beginning, 4_000) : textAt(file, behind, 4_000);
  const list = text.slice(behind.length).split(']')[0].replaceAll(/\s/g, '') + ']';
  if (!list.startsWith(beginning)) throw new Error(`${beginning} is not in the program`);
  return JSON.parse(list);
}

/** The text from the first place with these words on. */
function textAt(file, words, length) {
  const [first] = places(file, words, length);
  if (first === undefined) throw new Error(`${words} is not in the program`);
  return first;
}

/** The text from each place with these words on; bytes that are not ASCII do not matter here. */
function places(file, words, length) {
  const texts = [];
  for (let at = file.indexOf(words); at !== -1; at = file.indexOf(words, at + 1)) {
    texts.push(file.toString('latin1', at, at + length));
  }
  return texts;
}

function some(list, what) {
  if (list.length === 0) throw new Error(`No ${what} in the program`);
  return list;
}

function largest(files) {
  return some(files, 'program').toSorted((a, b) => b.length - a.length)[0];
}

function unique(list) {
  return [...new Set(list)];
}
