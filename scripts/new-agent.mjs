// Writes what an agent with hooks like those of Claude Code needs: its folder, its place in the two lists, a payload and a page.
//   npm run new:agent -- NAME --label "My Agent" --file .my-agent/settings.json --source URL [--npm PACKAGE --version 1.0.0]
//     [--program my-agent] [--shape wrapped] [--events Stop,Notification] [--headless "my-agent -p"] [--unit milliseconds]
// Then read the contract of the agent and correct what was written; `--help` prints which parts are optional.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const HELP = `Written: src/agents/NAME/ with index.ts and vocabulary.ts, the lines in src/core/hook-event.ts and src/agents/registry.ts,
test/fixtures/payloads/NAME/ with its rows in expected.json, and docs/agents/NAME.md.

part                                   needed
events, and what each means            always: vocabulary.ts, from the published program
what proves its payloads               if others run its hooks, or it runs the hooks of others: evidence in index.ts
its names for fields                   if they are not those of Claude Code: spelling
identity                               if one event can arrive twice in different bytes
reader of its published program        if npm has it: scripts/vocabulary-readers.mjs, with a package in its test
transcript, witness, answers, words    only where that was run
a new format of settings               one HookFormat in src/setup/
run with the real program              test/agents-live/further-agents.ts, then --record test/fixtures/recorded
`;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    label: { type: 'string' },
    file: { type: 'string' },
    source: { type: 'string', default: '' },
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
const [name = ''] = positionals;
if (values.help || !/^[a-z][a-z0-9]*$/.test(name) || !values.label || !values.file) {
  process.stdout.write(
    `npm run new:agent -- NAME --label TEXT --file PATH --source URL\n\n${HELP}`,
  );
  process.exit(values.help ? 0 : 2);
}
const { label, file, program = name, unit } = values;
const folder = `src/agents/${name}`;
if (existsSync(at(folder))) throw new Error(`${folder} is there already`);
const events = values.events.split(',');
const title = `${name}Vocabulary`;
const headless = (values.headless ?? `${program} -p`).split(' ');

write(
  `${folder}/vocabulary.ts`,
  `import { claudeVocabulary } from '../claude/vocabulary.ts';
import { type Vocabulary, wordsFrom } from '../support/vocabulary.ts';

/** ${label} has these hooks of Claude Code. */
export const ${title}: Vocabulary = {
  source: { npm: ${quoted(values.npm)}, version: ${quoted(values.version)}, place: ${quoted(values.source)} },
  events: wordsFrom(claudeVocabulary.events, ${quoted(events.join(' '))}),
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
  silentAbout: [${events.includes('Notification') ? '' : "'needs.permission', 'needs.input', "}'turn.interrupted'],
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
  kind: 'turn.done',
  sessionId: 's1',
  message: null,
  cwd: '/home/dev/shop',
  tool: null,
  reason: null,
  note: 'written by new:agent, not recorded',
};
const oracle = 'test/fixtures/payloads/expected.json';
const rows = readFileSync(at(oracle), 'utf8')
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
process.stdout.write(`${HELP}\nNext: npm run generate, then npm test\n`);

function at(path) {
  return `${root.replace(/\/$/, '')}/${path}`;
}

function write(path, text) {
  mkdirSync(at(path.slice(0, path.lastIndexOf('/'))), { recursive: true });
  writeFileSync(at(path), text);
}

/** Before the first place with these words. */
function insert(path, before, text) {
  const whole = readFileSync(at(path), 'utf8');
  const place = whole.indexOf(before);
  if (place === -1) throw new Error(`${path} has no "${before}"`);
  writeFileSync(at(path), whole.slice(0, place) + text + whole.slice(place));
}

function quoted(text) {
  return text === undefined ? 'null' : `'${text.replaceAll("'", "\\'")}'`;
}
