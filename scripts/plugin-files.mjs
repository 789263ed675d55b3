// The plugin that Claude Code and droid take: a marketplace with one plugin in it, whose hooks are the registered ones.

import { hookCommandLine, PORTABLE_HOOK } from '../dist/src/setup/hook-places.js';

const folder = 'packaging/plugin';

/** The plugin serves every person, wherever their program lies. */
const COMMAND = hookCommandLine(PORTABLE_HOOK, []);

/** All files of the plugin by their path; the values are JSON. */
export function pluginFiles({ droid, claude }, { version, description, license, keywords }) {
  const [own] = droid.registrations;
  const [other] = claude.registrations;
  // droid takes no file with an event in it that it does not know.
  const shared = own.events.filter(({ name }) => other.events.some((event) => event.name === name));
  const author = { name: 'The hookbell authors' };
  const about = { name: 'hookbell', version, description };
  return {
    [`${folder}/.claude-plugin/marketplace.json`]: {
      name: 'hookbell',
      description,
      owner: author,
      plugins: [{ ...about, source: './' }],
    },
    [`${folder}/.claude-plugin/plugin.json`]: { ...about, author, license, keywords },
    [`${folder}/hooks/hooks.json`]: {
      hooks: Object.fromEntries(
        shared.map(({ name, timeoutSeconds }) => [
          name,
          [{ hooks: [{ type: 'command', command: COMMAND, timeout: timeoutSeconds }] }],
        ]),
      ),
    },
  };
}
