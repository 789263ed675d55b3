import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

import { z } from 'zod';

import { dialects } from '../../src/agents/registry.ts';
import { dialectNames } from '../../src/core/hook-event.ts';
import { projectRoot } from '../support/hookbell-home.ts';

interface Lists {
  readonly events: readonly string[];
  readonly notifications: readonly string[];
}
/** The files of a package, by name. */
type Files = Readonly<Record<string, string | Uint8Array>>;

interface Package {
  readonly ending: (end: string) => readonly Buffer[];
  readonly unpackedBy: () => Package;
}
type Reader = (files: Package) => Lists;
type Comparison = (vocabulary: object, found: Lists) => readonly string[];

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

const script = pathToFileURL(join(projectRoot, 'scripts/vocabulary-readers.mjs')).href;
const { comparison, readers } = z
  .object({
    comparison: z.custom<Comparison>(isFunction),
    readers: z.record(z.string(), z.custom<Reader>(isFunction)),
  })
  .parse(await import(script));

/** Bytes around the text, as in a compiled program. */
function binary(...texts: readonly string[]): Uint8Array {
  return Buffer.from(`\u007fELF\u0000ö${texts.join('\u0000\u0001')}\u0000`, 'latin1');
}

function enumeration(name: string, members: readonly string[]): string {
  const lines = members.map((member) => `  ${name}2["${member}"] = "${member}";`);
  return `var ${name} = ((${name}2) => {\n${lines.join('\n')}\n  return ${name}2;\n})(${name} || {});\n`;
}

/** The names with these first, as a program lists them. */
function begin(names: readonly string[], ...first: readonly string[]): readonly string[] {
  return [...first, ...names.filter((name) => !first.includes(name))];
}

/** Packages as each of these agents publishes them, with these words. */
const packages: Readonly<Record<string, (lists: Lists) => Files>> = {
  claude({ events, notifications }) {
    const types = begin(notifications, 'permission_prompt', 'idle_prompt');
    const more = JSON.stringify(types.slice(-2)).slice(1, -1);
    return {
      claude: binary(
        `var a=${JSON.stringify(begin(events, 'PreToolUse', 'PostToolUse'))};`,
        `var b=${JSON.stringify(types.slice(0, -2))};`,
        `{summary:"When notifications are sent",matcher:{values:[...b,${more}]}}`,
      ),
    };
  },
  droid: ({ events, notifications }) => ({
    droid: binary(
      JSON.stringify(begin(events, 'PreToolUse', 'PostToolUse', 'Notification')),
      ...notifications.map((type) => `send({notificationType:"${type}",message:m})`),
    ),
  }),
  codex: ({ events }) => ({
    'bin/codex': binary(
      ...events.map((name) => `"hook_event_name": {\n  "const": "${name}",\n  "type": "string"\n}`),
      'agent-turn-complete',
    ),
  }),
  gemini: ({ events, notifications }) => ({
    'bundle/core.js': `${enumeration('HookEventName', events)}${enumeration('NotificationType', notifications)}`,
  }),
  qwen: ({ events, notifications }) => ({
    'cli.js': [
      enumeration('HookEventName', events),
      ...notifications.map(
        (type) => `await fireNotificationHook(bus, message, "${type}" /* Named */, title);`,
      ),
    ].join('\n'),
  }),
  copilot({ events, notifications }) {
    const asked = ['permission_prompt', 'elicitation_dialog'];
    const kinds = notifications.filter((type) => !asked.includes(type));
    const definitions = kinds.map((type, at) => [
      `Kind${at}`,
      { properties: { type: { const: type } } },
    ]);
    const anyOf = kinds.map((_, at) => ({ $ref: `#/definitions/Kind${at}` }));
    return {
      'api.schema.json': JSON.stringify({ definitions: { HookType: { enum: events } } }),
      'session-events.schema.json': JSON.stringify({
        definitions: { SystemNotification: { anyOf }, ...Object.fromEntries(definitions) },
      }),
      'runtime.node': binary(...asked),
    };
  },
  grok({ events, notifications }) {
    const rows = events.map((name) => `| \`${name}\` | When it happens. | No |`);
    const types = notifications.map((type) => `\`${type}\``).join(', ');
    const manual = [
      '## Hook Events\n\nEvents fire.\n',
      `| Event | When it fires | Blocking? |\n|---|---|---|\n${rows.join('\n')}`.replace(
        '`Notification` | When it happens.',
        '`Notification` | User-attention events (`idle_prompt`, …).',
      ),
      `\n| \`events\` | array | - | Events that trigger notifications. Options: ${types}. |`,
    ];
    return { 'bin/grok.br': brotliCompressSync(binary(manual.join('\n'))) };
  },
  cline: ({ events }) => ({
    'dist/agent.d.ts': `export interface AgentRuntimeHooks {\n${events
      .map((name) => `    ${name}?: (context: Context) => void;\n`)
      .join('')}}\n`,
  }),
  pi: ({ events }) => ({
    'docs/extensions.md': events.map((name) => `pi.on("${name}", handler);`).join('\n'),
  }),
  kimi: ({ events, notifications }) => ({
    'dist/main.mjs': [
      `HOOK_EVENT_TYPES = ${JSON.stringify(begin(events, 'PreToolUse'), null, '\t\t')};`,
      `TERMINAL_STATUSES = new Set(${JSON.stringify(
        notifications.map((type) => type.replace('task.', '')),
        null,
        2,
      )});`,
    ].join('\n'),
  }),
  qoder: ({ events, notifications }) => ({
    'bundle/qodercli.js': [
      `(e=t||{}).PreToolUse;${begin(events, 'PreToolUse')
        .map((name) => `e.${name}="${name}"`)
        .join(',')}`,
      ...notifications.map((type) => `hooks.fireNotificationEvent("${type}",text,{})`),
    ].join(';'),
  }),
  auggie: ({ events, notifications }) => ({
    'augment.mjs': `var a=${JSON.stringify(begin(events, 'PreToolUse', 'PostToolUse', 'Stop'))};${notifications.map((type) => `made(n,r,"${type}",t.notificationMessage)`).join(';')}`,
  }),
  letta: ({ events }) => ({
    'dist/types/hooks/types.d.ts': `export type ToolHookEvent = "${events[0] ?? ''}";\nexport type SimpleHookEvent = ${events
      .slice(1)
      .map((name) => `"${name}"`)
      .join(' | ')};\n`,
  }),
  opencode: ({ events }) => ({
    'dist/gen/types.gen.d.ts': events
      .map((name, at) => `export type Event${at} = {\n    id: string;\n    type: "${name}";\n};`)
      .join('\n'),
  }),
};

function opened(files: Files): Package {
  const found: Package = {
    ending: (end) =>
      Object.entries(files).flatMap(([path, text]) =>
        path.endsWith(end) ? [Buffer.from(text)] : [],
      ),
    unpackedBy: () => found,
  };
  return found;
}

const published = dialectNames.filter((name) => dialects[name].vocabulary.source.npm !== null);

test('every agent with a published program has a reader, and the test a package of its kind', () => {
  assert.deepEqual(Object.keys(readers).toSorted(), published.toSorted());
  assert.deepEqual(Object.keys(packages).toSorted(), published.toSorted());
});

for (const agent of published) {
  const { vocabulary } = dialects[agent];
  const known = {
    events: Object.keys(vocabulary.events),
    notifications: Object.keys(vocabulary.notifications),
  };
  const report = (lists: Lists) => {
    const files = packages[agent]?.(lists) ?? {};
    return comparison(vocabulary, readers[agent]?.(opened(files)) ?? lists);
  };

  test(`${agent}: the report is empty where the program has the words of the vocabulary`, () => {
    assert.deepEqual(report(known), []);
  });

  test(`${agent}: the report names each new and each lost word`, () => {
    const goneEvent = known.events.at(0) === 'PreToolUse' ? 'Stop' : known.events.at(0);
    const goneType = known.notifications.at(-1);
    const news = agent === 'opencode' ? 'of.tomorrow' : 'OfTomorrow';
    const newType = agent === 'kimi' ? 'task.of_tomorrow' : 'of_tomorrow';
    const said = report({
      events: [...known.events.filter((name) => name !== goneEvent), news],
      notifications: [
        ...known.notifications.filter((type) => type !== goneType),
        ...(goneType === undefined ? [] : [newType]),
      ],
    });

    assert.deepEqual(said.toSorted(), [
      `event "${goneEvent}" is gone`,
      `new event "${news}", undecided`,
      ...(goneType === undefined
        ? []
        : [
            `new type of notification "${newType}", undecided`,
            `type of notification "${goneType}" is gone`,
          ]),
    ]);
  });

  test(`${agent}: a program that is built in another way is an error, not an empty list`, () => {
    assert.throws(() => readers[agent]?.(opened({ program: binary('Hello') })));
  });
}
