import { basename, join } from 'node:path';

import type { ChannelTestView } from '../../control/contract.ts';
import type { InstallStep } from '../../setup/run-steps.ts';
import { fileExists } from '../../setup/settings-file.ts';
import { displayLine } from '../../text/sanitize.ts';
import { chooseAgents } from '../install-places.ts';

/** Channel types that need someone in front of this machine. */
const LOCAL: readonly string[] = ['desktop', 'terminal'];

/** Returns what to say at the end of `init`: what works, and what to do about the rest. */
export function closingSentence(
  steps: readonly InstallStep[],
  tests: readonly ChannelTestView[],
  configPath: string,
): string {
  const silent = tests.filter(({ outcome }) => outcome !== 'delivered');
  if (steps.some(({ state }) => state === 'failed')) {
    return 'Not everything was set up: run "hookbell doctor" to see what to do.';
  }
  if (silent.length === 0) {
    return `Ready. To change settings, edit ${displayLine(configPath)}; "hookbell channel add NAME" adds a channel, "hookbell doctor" reports problems.`;
  }
  const names = silent.map(({ channel }) => `"${displayLine(channel)}"`).join(', ');
  const advice = silent.every(({ type }) => LOCAL.includes(type))
    ? 'If this machine has no desktop, add a channel that reaches you elsewhere, such as "hookbell channel add ntfy". "hookbell doctor" explains what is missing.'
    : 'Run "hookbell doctor" to see what to do, then "hookbell test --all".';
  return `Events are recorded, but the test did not arrive through ${names}. ${advice}`;
}

/** Lists the events for which hooks would be registered, one line for each agent. */
export function hookLines(agents: readonly string[]): readonly string[] {
  if (agents.length === 0) return [];
  return chooseAgents(agents).map(
    ({ agent, registration }) =>
      `Hooks of ${agent}: ${registration.events.map(({ name }) => name).join(', ')}`,
  );
}

/**
 * Returns how to turn on shell completion, for a user whose shell has none yet; null if the shell is unknown, or if it has
 * a script from a package or a line in its start-up file.
 */
export async function completionHint(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  read: (path: string) => Promise<string>,
): Promise<string | null> {
  const shell = basename(env['SHELL'] ?? '');
  const [, known] = Object.entries(shells).find(([name]) => name === shell) ?? [];
  if (known === undefined) return null;
  const { startup, scripts, command } = known;
  const text = await read(join(home, startup)).catch(() => '');
  if (text.includes('hookbell completion')) return null;
  const places = scripts.map((script) => (script.startsWith('/') ? script : join(home, script)));
  if ((await Promise.all(places.map((place) => fileExists(place)))).includes(true)) return null;
  return `For completion in ${shell}: ${command}`;
}

/** The start-up file of each shell, where packages or the user put its script, and what turns completion on. */
const shells = {
  bash: {
    startup: '.bashrc',
    scripts: [
      '/usr/share/bash-completion/completions/hookbell',
      '/opt/homebrew/etc/bash_completion.d/hookbell',
      '/home/linuxbrew/.linuxbrew/etc/bash_completion.d/hookbell',
      '.local/share/bash-completion/completions/hookbell',
    ],
    command: `add eval "$(hookbell completion bash)" to ~/.bashrc`,
  },
  zsh: {
    startup: '.zshrc',
    scripts: [
      '/usr/share/zsh/vendor-completions/_hookbell',
      '/usr/share/zsh/site-functions/_hookbell',
      '/opt/homebrew/share/zsh/site-functions/_hookbell',
      '/home/linuxbrew/.linuxbrew/share/zsh/site-functions/_hookbell',
    ],
    command: `add eval "$(hookbell completion zsh)" to ~/.zshrc, below compinit`,
  },
  fish: {
    startup: '.config/fish/config.fish',
    scripts: [
      '/usr/share/fish/vendor_completions.d/hookbell.fish',
      '/opt/homebrew/share/fish/vendor_completions.d/hookbell.fish',
      '/home/linuxbrew/.linuxbrew/share/fish/vendor_completions.d/hookbell.fish',
      '.config/fish/completions/hookbell.fish',
    ],
    command: 'hookbell completion fish >~/.config/fish/completions/hookbell.fish',
  },
};
