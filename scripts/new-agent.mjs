// Writes what an agent with a command as its hook needs: its folder, its place in the two lists, and a payload.
// `npm run new:agent -- --help` prints its options, and which parts are optional.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const USAGE = `npm run new:agent -- NAME --label TEXT --file PATH --source URL [OPTIONS]

NAME               lower-case letters and digits, as in "--agent NAME"
--label TEXT       the name that people read: "My Agent"
--file PATH        its settings with hooks, below the home directory: .my-agent/settings.json
--source URL       where its contract can be read
--events LIST      its events, with commas; one that Claude Code does not have needs its kind:
                   Stop,Waiting=needs.input,Done=turn.done (default: SessionStart,SessionEnd,UserPromptSubmit,PostToolUse,Stop)
--shape NAME       the format of that file, of \`hookShapes\` in src/core/agent/registration.ts (default: wrapped)
--program NAME     its program on PATH (default: NAME)
--headless LINE    how it runs one prompt without a terminal (default: "NAME -p")
--unit NAME        unit of its hook timeout, "seconds" or "milliseconds" (default: seconds)
--npm PACKAGE      its package at npm, and --version its version there (default: the date)
`;
const PARTS = `
part                                   needed
events, and what each means            always: vocabulary.ts, from the published program; an event with a text needs a
                                       reading (src/agents/support/readings.ts)
what proves its payloads               if others run its hooks, or it runs the hooks of others: evidence in index.ts
its names for fields                   if they are not those of Claude Code: spelling
identity                               if one event can arrive twice in different bytes
reader of its published program        if npm has it: scripts/vocabulary-readers.mjs, with a package in its test
transcript, witness, answers, words    only where that was run
a new format of settings               one HookFormat in src/setup/
run with the real program              test/agents-live/further-agents.ts, then --record test/fixtures/recorded
`;
const { values, positionals } = parsed();
const [name = ''] = positionals;
if (values.help) {
  process.stdout.write(`${USAGE}${PARTS}`);
  process.exit(0);
}
if (!/^[a-z][a-z0-9]*$/.test(name)) {
  refuse(`NAME is "${name}", expected lower-case letters and digits, beginning with a letter`);
}
for (const option of ['label', 'file', 'source']) {
  if (!values[option]) refuse(`--${option} is missing`);
}
const { label, file, program = name, unit } = values;
const folder = `src/agents/${name}`;
if (existsSync(at(folder))) refuse(`${folder} exists already`);
const [claudeEvents] = textOf('src/agents/claude/vocabulary.ts').split('notifications: {');
const claudeKinds = new Map(
  [...claudeEvents.matchAll(/^ {4}(\w+): means\(\s*'([a-z.]+)'/gm)].map(([, event, kind]) => [
    event,
    kind,
  ]),
);
const kinds = textOf('src/core/hook-event.ts')
  .match(/kinds = \[([^\]]*)\]/)[1]
  .match(/[a-z.]+/g);
const given = values.events.split(',').map((entry) => entry.trim().split('='));
for (const [event, kind] of given) {
  if (kind === undefined && !claudeKinds.has(event)) {
    refuse(`Claude Code has no event "${event}": write its kind, as in ${event}=turn.done`);
  }
  if (kind !== undefined && !kinds.includes(kind)) {
    refuse(`"${kind}" is not a kind, expected one of: ${kinds.join(', ')}`);
  }
}
const events = given.map(([event]) => event);
const kindOf = ([event, kind = claudeKinds.get(event)]) => kind;
const shared = given.filter(([, kind]) => kind === undefined).map(([event]) => event);
const own = given.filter(([, kind]) => kind !== undefined);
const reported = new Set(given.map(kindOf));
if (events.includes('Notification')) reported.add('needs.permission');
const silentAbout = [
  'needs.permission',
  'needs.input',
  'turn.failed',
  'turn.interrupted',
  'subagent.done',
].filter((kind) => !reported.has(kind));
const words = [
  ...(shared.length === 0
    ? []
    : [`...wordsFrom(claudeVocabulary.events, ${quoted(shared.join(' '))})`]),
  ...own.map(
    ([event, kind]) => `${quoted(event)}: means('${kind}', ${quoted(`it reports ${event}`)})`,
  ),
];
const imported = [
  ...(own.length === 0 ? [] : ['means']),
  'type Vocabulary',
  ...(shared.length === 0 ? [] : ['wordsFrom']),
];
const title = `${name}Vocabulary`;
const headless = (values.headless ?? `${program} -p`).split(' ');

write(
  `${folder}/vocabulary.ts`,
  `import { claudeVocabulary } from '../claude/vocabulary.ts';
import { ${imported.join(', ')} } from '../support/vocabulary.ts';

/** ${label} has ${own.length === 0 ? 'these hooks of Claude Code' : 'events that other agents do not have'}. */
export const ${title}: Vocabulary = {
  source: { npm: ${quoted(values.npm)}, version: ${quoted(values.version)}, place: ${quoted(values.source)} },
  events: { ${words.join(', ')} },
  notifications: {},
  also: [claudeVocabulary],
};
`,
);
const parts = [
  `evidence: [${quoted(file.split('/')[0])}]`,
  `programs: [${quoted(program)}]`,
  `files: [{ path: ${quoted(file)}, shape: ${quoted(values.shape)} }]`,
  `events: registered([${events.map(quoted).join(', ')}])`,
  `words: ['--agent', ${quoted(name)}]`,
  ...(unit === undefined ? [] : [`timeoutUnit: ${quoted(unit)}`]),
  `never: /^PreToolUse$/`,
  `afterwards: ${quoted(`Restart ${label}`)}`,
];
write(
  `${folder}/index.ts`,
  `import type { Dialect } from '../support/dialect.ts';
import { registered, toolIdentity } from '../support/registered-events.ts';
import { ${title} } from './vocabulary.ts';

/** ${label}: ${values.source}. Nothing was run. */
export default {
  agent: ${quoted(name)},
  name: ${quoted(label)},
  evidence: {},
  vocabulary: ${title},
  identity: toolIdentity,
  traits: { processes: { programs: [${quoted(program)}], variables: [] } },
  registrations: [{ ${parts.join(', ')} }],
  trial: {
    headless: [${headless.map(quoted).join(', ')}],
    events: [${quoted(events.at(-1))}],
  },
  silentAbout: [${silentAbout.map(quoted).join(', ')}],
} satisfies Dialect;
`,
);
insert('src/core/hook-event.ts', "  program: 'a program',", `  ${name}: ${quoted(label)},\n`);
insert(
  'src/agents/registry.ts',
  'import type { Dialect }',
  `import ${name} from './${name}/index.ts';\n`,
);
insert('src/agents/registry.ts', '  program,', `  ${name},\n`);

const payload = { session_id: 's1', cwd: '/home/dev/shop', hook_event_name: events.at(-1) };
write(`test/fixtures/payloads/${name}/${events.at(-1)}-1.json`, JSON.stringify(payload));
const row = {
  file: `${name}/${events.at(-1)}-1.json`,
  agent: name,
  event: events.at(-1),
  input: 'stdin',
  args: ['--agent', name],
  env: {},
  valid: true,
  kind: kindOf(given.at(-1)),
  sessionId: 's1',
  message: null,
  cwd: '/home/dev/shop',
  tool: null,
  reason: null,
  note: 'written by new:agent, not recorded',
};
const oracle = 'test/fixtures/payloads/expected.json';
const rows = textOf(oracle)
  .trimEnd()
  .replace(/\n?\]$/, '');
writeFileSync(at(oracle), `${rows},\n ${JSON.stringify(row)}\n]\n`);
execFileSync(
  'node_modules/.bin/oxfmt',
  [folder, 'src/core/hook-event.ts', 'src/agents/registry.ts'],
  {
    cwd: root,
  },
);
process.stdout
  .write(`Written: ${folder}/ with index.ts and vocabulary.ts, its lines in src/core/hook-event.ts and
src/agents/registry.ts, and test/fixtures/payloads/${name}/ with a row in expected.json. Correct them by its contract:
${PARTS}
Next: npm run generate, which writes docs/agents/${name}.md
Then: node scripts/test.mjs agents/payloads agents/vocabulary agents/registration setup/every-agent english docs.
`);

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        label: { type: 'string' },
        file: { type: 'string' },
        source: { type: 'string' },
        npm: { type: 'string' },
        version: { type: 'string', default: new Date().toISOString().slice(0, 10) },
        program: { type: 'string' },
        shape: { type: 'string', default: 'wrapped' },
        events: {
          type: 'string',
          default: 'SessionStart,SessionEnd,UserPromptSubmit,PostToolUse,Stop',
        },
        headless: { type: 'string' },
        unit: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return refuse(error.message);
  }
}

function refuse(reason) {
  process.stderr.write(`Cannot add an agent: ${reason}\nRun: npm run new:agent -- --help\n`);
  process.exit(2);
}

function textOf(path) {
  return readFileSync(at(path), 'utf8');
}

function at(path) {
  return `${root.replace(/\/$/, '')}/${path}`;
}

function write(path, text) {
  mkdirSync(at(path.slice(0, path.lastIndexOf('/'))), { recursive: true });
  writeFileSync(at(path), text);
}

/** Before the first place with these words. */
function insert(path, before, text) {
  const whole = textOf(path);
  const place = whole.indexOf(before);
  if (place === -1) throw new Error(`${path} has no "${before}"`);
  writeFileSync(at(path), whole.slice(0, place) + text + whole.slice(place));
}

function quoted(text) {
  return text === undefined ? 'null' : `'${text.replaceAll("'", "\\'")}'`;
}
