// docs/what-runs-where.md: what the suites of `test/windows-live` and `test/macos-live` ran, by the record that they leave in
// test/what-ran.json, and which programs are only compared with their documentation.
import { readFileSync } from 'node:fs';
import { documentedTools } from '../dist/test/support/documented-tools.js';

/** What a person would ask for; the names of the rows, or the beginnings of them. */
const subjects = [
  {
    subject: 'install, the first notification, the commands, stop and start',
    windows: ['install, first test'],
    macos: ['"install" registers', 'a notification is shown'],
  },
  {
    subject: 'the hook: exit 0, silent, nothing lost',
    windows: ['the hook'],
    macos: ['what is registered hands over'],
  },
  { subject: 'the cost of the hook', windows: ['what a hook costs'] },
  {
    subject: 'the hooks of each agent, as registered',
    windows: ['hooks as registered', 'the plugin of a project', 'a path that a shell would change'],
    macos: ['what is registered with each agent'],
  },
  {
    subject: 'notifications, clicks and presence',
    windows: ['toasts, clicks'],
    macos: ['a notification is shown'],
  },
  {
    subject: 'programs that hookbell starts for you, and the demo',
    windows: ['programs that a person runs', 'the demo'],
  },
  { subject: 'folders on another disk and a share', windows: ['folders on another disk'] },
  { subject: 'who may control the daemon', windows: ['the control pipe'] },
  { subject: 'the script for a real Mac', macos: ['the script for the first person'] },
  { subject: 'files that other programs have open', windows: ['files that others have open'] },
  {
    subject: 'events while the daemon is killed',
    windows: ['events while the daemon is killed'],
    macos: ['300 events beside'],
  },
  { subject: 'the end of the session, with unread events', windows: ['the end of the session'] },
  { subject: 'a process id that is used again', macos: ['another process with the number'] },
  {
    subject: 'another version while agents work, and mending an earlier one',
    windows: ['upgrade with open files', 'a hook of an earlier version'],
  },
  { subject: 'the service: start, restart after a kill, stop', macos: ['as a launch agent'] },
  {
    subject: 'uninstall, without a trace',
    windows: ['uninstall --purge'],
    macos: ['"uninstall --purge"', 'no stand-in was asked'],
  },
];

/** Programs that run below Wine as Windows has them. */
const runBelowWine = ['cmd.exe', 'reg', 'schtasks'];

/** @param root of the project */
export function whatRunsPage(root) {
  const ran = JSON.parse(readFileSync(new URL('test/what-ran.json', root), 'utf8'));
  const named = new Set();
  const cell = (system, names = []) => {
    const rows = names.flatMap((name) => {
      const found = ran[system].rows.filter((row) => row.name.startsWith(name));
      if (found.length === 0) throw new Error(`${system}: no row "${name}" in test/what-ran.json`);
      return found;
    });
    for (const { name } of rows) named.add(`${system}: ${name}`);
    if (rows.length === 0) return 'not run';
    const bad = rows.find(({ outcome }) => outcome !== 'ok');
    return bad === undefined ? 'run' : bad.outcome;
  };
  const lines = subjects.map(
    ({ subject, windows, macos }) =>
      `| ${subject} | run | ${cell('windows', windows)} | ${cell('macos', macos)} |`,
  );
  for (const system of ['windows', 'macos']) {
    const left = ran[system].rows.find(({ name }) => !named.has(`${system}: ${name}`));
    if (left !== undefined) throw new Error(`scripts/what-runs-page.mjs lacks "${left.name}"`);
  }
  const documented = Object.keys(documentedTools).filter((name) => !runBelowWine.includes(name));
  return `# What runs where

Generated from the last recorded runs of \`npm run test:windows -- --record\` and \`npm run test:macos -- --record\`. Nothing has run on a real Windows or Mac yet; a workflow for both is prepared.

| | Linux | Windows: ${ran.windows.system} | a world like macOS: ${ran.macos.system} |
| --- | --- | --- | --- |
${lines.join('\n')}

Below Wine, a stand-in for PowerShell records toasts and makes the same calls to Windows for presence; a click is the registered command, run with the link of the toast. In the world like macOS, stand-ins do what the manuals say.
[How the daemon starts](services.md#what-has-run-where) describes both.

**Documented only**: ${documented.map((name) => `\`${name}\``).join(', ')}. Each word with which hookbell calls them is compared with their documentation. Also: real toasts and the click on them, the log-on of Windows, PowerShell and Git Bash,
the notification center of macOS and its first prompt, a disk that ignores case, WSL with a real Windows.

**With a Mac**: \`sh scripts/first-run.sh\` asks in ten minutes what only a person sees, and prints a report to paste into an issue.
`;
}
