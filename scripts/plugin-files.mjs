// The plugin that Claude Code and droid take: a marketplace with one plugin in it, whose hooks are the registered ones.

const folder = 'packaging/plugin';

/**
 * Where the program may lie: installed by the person, or by a package of the system. The plugin stays when hookbell is removed,
 * and an agent shows a missing command as an error on every event; so each is tried, and none is no failure.
 */
const COMMAND =
  'for h in "$HOME/.local/share/hookbell" /usr/lib/hookbell; do [ -x "$h/hooks/hookbell-hook" ] && exec "$h/hooks/hookbell-hook"; done; exit 0';

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
