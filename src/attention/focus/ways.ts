import { alacritty } from './alacritty.ts';
import { appleTerminal } from './apple-terminal.ts';
import { ghostty } from './ghostty.ts';
import { gnomeTerminal } from './gnome-terminal.ts';
import { hyprland } from './hyprland.ts';
import { iterm2 } from './iterm2.ts';
import { kde } from './kde.ts';
import { kitty } from './kitty.ts';
import { konsole } from './konsole.ts';
import { macApplication } from './mac-application.ts';
import type { Focus } from './step.ts';
import { sway } from './sway.ts';
import { vscode } from './vscode.ts';
import { wezterm } from './wezterm.ts';
import { x11 } from './x11.ts';

/** Bring the tab forward within its window. A new terminal adds its line here. */
export const tabs: readonly Focus[] = [
  kitty,
  wezterm,
  iterm2,
  appleTerminal,
  gnomeTerminal,
  konsole,
  ghostty,
  vscode,
];

/** Bring the window forward. */
export const windows: readonly Focus[] = [sway, hyprland, kde, alacritty, x11, macApplication];
