import { type Focus, osascriptStep } from './step.ts';

/** Searches the windows for the tab with that terminal device. */
const SCRIPT = `
on run argv
tell application "Terminal"
repeat with aWindow in windows
repeat with aTab in tabs of aWindow
if tty of aTab is item 1 of argv then
set selected of aTab to true
set index of aWindow to 1
activate
return
end if
end repeat
end repeat
end tell
error "no such tab"
end run`;

/** Terminal.app of macOS, which identifies its tabs only by their devices. */
export const appleTerminal: Focus = ({ facts, device }) => {
  const path = /^\/dev\/ttys\d+$/.exec(device ?? '')?.[0];
  // In tmux only the application identifies it.
  const isIt =
    facts.term_program === 'Apple_Terminal' || facts.cf_bundle_identifier === 'com.apple.Terminal';
  if (path === undefined || !isIt) return [];
  return [osascriptStep(SCRIPT, path)];
};
