// docs/what-runs-where.md: what the suites of `test/windows-live` and `test/macos-live` and named tests on Linux ran, by the record that
// they leave in test/what-ran.json, and which programs are only compared with their documentation.
import { existsSync, readFileSync } from 'node:fs';
import { documentedTools } from '../dist/test/support/documented-tools.js';

/** What a person would ask for; the names of the rows, or the beginnings of them. For Linux, files of tests. */
const subjects = [
  {
    subject: 'install, the first notification, the commands, stop and start',
    linux: ['e2e/install', 'e2e/main-job', 'e2e/reading-commands'],
    windows: ['install, first test'],
    macos: ['"install" registers', 'a notification is shown'],
  },
  {
    subject: 'the hook: exit 0, silent, nothing lost',
    linux: ['hooks/hand-off'],
    windows: ['the hook'],
    macos: ['what is registered hands over'],
  },
  { subject: 'the cost of the hook', linux: ['bench/compare'], windows: ['what a hook costs'] },
  {
    subject: 'the hooks of each agent, as registered',
    linux: ['e2e/registered-commands', 'setup/every-agent'],
    windows: ['hooks as registered', 'the plugin of a project', 'a path that a shell would change'],
    macos: ['what is registered with each agent'],
  },
  {
    subject: 'notifications, clicks and presence',
    linux: ['e2e/click', 'e2e/presence'],
    windows: ['toasts, clicks'],
    macos: ['a notification is shown'],
  },
  {
    subject: 'programs that hookbell starts for you, and the demo',
    linux: ['e2e/demo', 'platform/run-program'],
    windows: ['programs that a person runs', 'the demo'],
  },
  {
    subject: 'folders on another disk and a share',
    linux: ['daemon/far-files'],
    windows: ['folders on another disk'],
  },
  { subject: 'a disk that ignores capitals', macos: ['a path in other capitals'] },
  {
    subject: 'another person of the machine',
    linux: ['e2e/other-user'],
    macos: ['another person of the machine'],
  },
  {
    subject: 'who may control the daemon',
    linux: ['e2e/other-user'],
    windows: ['the control pipe'],
  },
  {
    subject: 'the script for a real Mac',
    linux: ['first-run'],
    macos: ['the script for the first person'],
  },
  {
    subject: 'files that other programs have open',
    linux: ['setup/settings-of-people', 'daemon/log'],
    windows: ['files that others have open', 'a log that another program follows'],
  },
  {
    subject: 'events while the daemon is killed',
    linux: ['e2e/crash'],
    windows: ['events while the daemon is killed'],
    macos: ['300 events beside'],
  },
  { subject: 'no window that flashes', windows: ['no window appears'] },
  {
    subject: 'Ctrl-C, and a console that is closed',
    linux: ['e2e/crash'],
    windows: ['Ctrl-C, and a'],
  },
  {
    subject: 'the end of the session, with unread events',
    linux: ['e2e/service-manager'],
    windows: ['the end of the session'],
  },
  {
    subject: 'a process id that is used again',
    linux: ['daemon/pid-file'],
    windows: ['a process id that is used again'],
    macos: ['another process with the number'],
  },
  {
    subject: 'another version while agents work, and mending an earlier one',
    linux: ['e2e/upgrade'],
    windows: ['upgrade with open files', 'a hook of an earlier version'],
    macos: ['another version takes over'],
  },
  {
    subject: 'the service: start, restart after a kill, stop',
    linux: ['e2e/service-manager'],
    windows: ['the task at log-on'],
    macos: ['as a launch agent'],
  },
  {
    subject: '`hookbell shell-init`, or why it cannot help',
    linux: ['cli/callers/run-command'],
    macos: ['the bash of macOS'],
  },
  { subject: 'WSL: toasts by Windows, beside a daemon there', linux: ['e2e/wsl'] },
  {
    subject: 'uninstall, without a trace',
    linux: ['e2e/install'],
    windows: ['uninstall --purge'],
    macos: ['"uninstall --purge"', 'no stand-in was asked'],
  },
];

/** What `node scripts/test.mjs --record` runs: paths below `test/`, without `.test.ts`. */
export const testsOnLinux = [...new Set(subjects.flatMap(({ linux = [] }) => linux))];

/** Programs that run below Wine as Windows has them. */
const runBelowWine = ['cmd.exe', 'reg', 'schtasks'];

/** @param root of the project */
export function whatRunsPage(root) {
  const ran = JSON.parse(readFileSync(new URL('test/what-ran.json', root), 'utf8'));
  const gone = testsOnLinux.find((name) => !existsSync(new URL(`test/${name}.test.ts`, root)));
  if (gone !== undefined) throw new Error(`There is no test/${gone}.test.ts`);
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
  const lines = subjects.map(({ subject, ...names }) => {
    const cells = ['linux', 'windows', 'macos'].map((system) => cell(system, names[system]));
    return `| ${[subject, ...cells].join(' | ')} |`;
  });
  for (const system of ['linux', 'windows', 'macos']) {
    const left = ran[system].rows.find(({ name }) => !named.has(`${system}: ${name}`));
    if (left !== undefined) throw new Error(`scripts/what-runs-page.mjs lacks "${left.name}"`);
  }
  const documented = Object.keys(documentedTools).filter((name) => !runBelowWine.includes(name));
  return `# What runs where

Generated from the last recorded runs of \`npm run test:windows -- --record\`, \`npm run test:macos -- --record\` and \`node scripts/test.mjs --record\`, which runs the tests on Linux for this table. Nothing has run on a real Windows or Mac yet; a workflow for both is prepared.

| | ${ran.linux.system} | Windows: ${ran.windows.system} | a world like macOS: ${ran.macos.system} |
| --- | --- | --- | --- |
${lines.join('\n')}

Below Wine, a stand-in for PowerShell records toasts and makes the same calls to Windows for presence; a click is the registered command, run with the link of the toast; the task runs in a console, without the \`conhost\` of Windows. In the world like macOS, stand-ins do what the manuals say.
[How the daemon starts](services.md#what-has-run-where) describes both.

**Documented only**: ${documented.map((name) => `\`${name}\``).join(', ')}. Each word with which hookbell calls them is compared with their documentation. Also: real toasts and the click on them, the log-on of Windows, PowerShell and Git Bash,
the notification center of macOS and its first prompt, a disk of a Mac, WSL with a real Windows.

**With a Mac**: \`sh scripts/first-run.sh\` asks in ten minutes what only a person sees, and prints a report to paste into an issue.
`;
}
