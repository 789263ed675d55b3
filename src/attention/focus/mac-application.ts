import { editors } from './editors.ts';
import type { Focus } from './step.ts';

/** Terminals, and editors with one; nothing else is opened, whatever the environment names. */
const applications: ReadonlySet<string> = new Set([
  'com.apple.Terminal',
  'com.github.wez.wezterm',
  'com.googlecode.iterm2',
  'com.mitchellh.ghostty',
  'dev.warp.Warp-Stable',
  'dev.zed.Zed',
  'net.kovidgoyal.kitty',
  'org.alacritty',
  ...editors.map(({ bundle }) => bundle),
]);

/** The whole macOS application, with its last used window. open(1) */
export const macApplication: Focus = ({ facts }) => {
  const application = facts.cf_bundle_identifier ?? '';
  return applications.has(application) ? [{ program: 'open', arguments: ['-b', application] }] : [];
};
