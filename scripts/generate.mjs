// Writes what is derived from the code: the JSON Schema for editors, the reference pages, the OpenAPI document, and parts of written pages. Build first.
// With --check nothing is written; stale files are named and end it with status 1.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { dialects } from '../dist/src/agents/registry.js';
import { openApiDocument, routes } from '../dist/src/vendor/client/index.js';
import { channelCatalog } from '../dist/src/channels/registry.js';
import { checkGuides } from '../dist/src/cli/doctor/checks.js';
import { selectableChannels } from '../dist/src/cli/init/make-plan.js';
import { commonChannelSchema, plainSchema } from '../dist/src/config/channel-schema.js';
import { liveAgents } from '../dist/test/agents-live/agents.js';
import { configJsonSchema } from './config-schema.mjs';
import { dependenciesPage } from './dependencies-page.mjs';
import { galleryPart } from './gallery-page.mjs';
import { operationsPart } from './operations-part.mjs';
import { pluginFiles } from './plugin-files.mjs';
import { agentPages, agentsPage, supportPart } from './reference-agents.mjs';
import { abilitiesPart, channelPages, channelsPage, configPage } from './reference-tables.mjs';
import { troubleshootingPart } from './troubleshooting-part.mjs';
import { whatRunsPage } from './what-runs-page.mjs';
import { filledPage } from './written-pages.mjs';

const channelDefinitions = await channelCatalog.load();

const root = new URL('../', import.meta.url);
const schema = configJsonSchema(channelDefinitions);
const common = plainSchema(commonChannelSchema);
const types = schema.properties.channels.additionalProperties.oneOf;
const testedVersions = new Map(liveAgents.map(({ agent, version }) => [agent, version]));
const inbox = channelDefinitions.filter(({ type }) => type === 'inbox');

const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

const files = {
  'config/hookbell.schema.json': `${JSON.stringify(schema, null, 2)}\n`,
  'docs/reference/openapi.json': `${JSON.stringify(openApiDocument(manifest.version), null, 2)}\n`,
  'docs/dependencies.md': await formatted(await dependenciesPage()),
  'docs/what-runs-where.md': await formatted(whatRunsPage(root)),
  'docs/reference/agents.md': await formatted(agentsPage(dialects, testedVersions)),
  'docs/reference/config.md': await formatted(configPage(schema)),
  'docs/reference/channels.md': await formatted(channelsPage(types, common)),
};

const parts = [
  ['docs/troubleshooting.md', 'Troubleshooting', troubleshootingPart(checkGuides)],
  ['docs/vendor-api.md', "The vendor's HTTP interface", operationsPart(routes)],
  ['docs/gallery.md', 'What you see', await galleryPart()],
  ['docs/channels/README.md', 'Channels', abilitiesPart([...selectableChannels, ...inbox])],
  ['README.md', 'hookbell', supportPart(dialects, testedVersions)],
  ...agentPages(dialects),
  ...channelPages(types, common, channelDefinitions),
];
for (const [path, title, part] of parts) {
  files[path] = await formatted(filledPage(textOf(path), title, part));
}

for (const [path, content] of Object.entries(pluginFiles(dialects, manifest))) {
  files[path] = await formatted(JSON.stringify(content), path);
}

const stale = Object.entries(files).filter(([path, text]) => textOf(path) !== text);
if (process.argv.includes('--check')) {
  for (const [path] of stale) process.stderr.write(`"${path}" is stale: run "npm run generate"\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [path, text] of stale) {
    const file = fileURLToPath(new URL(path, root));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** As "npm run format" would leave it, so that the two never undo each other. */
async function formatted(text, path = 'page.md') {
  const { code } = await format(path, text, { printWidth: 100, singleQuote: true });
  return code;
}

function textOf(path) {
  try {
    return readFileSync(new URL(path, root), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}
