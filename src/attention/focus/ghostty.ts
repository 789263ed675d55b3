import { busSteps, type Focus, osascriptStep } from './step.ts';

/**
 * Brings a terminal forward if it is the only one with this property value:
 * https://ghostty.org/docs/features/applescript
 */
function scriptBy(property: 'tty' | 'working directory'): string {
  return `
on run argv
tell application "Ghostty"
set found to {}
repeat with aTerminal in terminals
if ${property} of aTerminal is item 1 of argv then set end of found to contents of aTerminal
end repeat
if (count of found) is not 1 then error "not one such terminal"
focus item 1 of found
activate
end tell
end run`;
}

const BY_DEVICE = scriptBy('tty');
const BY_DIRECTORY = scriptBy('working directory');

const activate = {
  service: 'com.mitchellh.ghostty',
  object: '/com/mitchellh/ghostty',
  interface: 'org.gtk.Actions',
  name: 'Activate',
};

/**
 * On macOS by AppleScript, which Ghostty 1.3.0 knows: newer versions report the device of a terminal
 * (https://github.com/ghostty-org/ghostty/pull/11922), all of them its folder, which counts if no other terminal has
 * it. On Linux by the action of its own notifications, with the number reported by versions after 1.3.1
 * (https://github.com/ghostty-org/ghostty/pull/12027).
 */
export const ghostty: Focus = ({ facts, device, directory }) => {
  // In tmux only the application identifies it.
  const isOnMac = facts.cf_bundle_identifier === 'com.mitchellh.ghostty';
  if (isOnMac) {
    const path = /^\/dev\/ttys\d+$/.exec(device ?? '')?.[0];
    return [
      ...(path === undefined ? [] : [osascriptStep(BY_DEVICE, path)]),
      ...(directory === null ? [] : [osascriptStep(BY_DIRECTORY, directory)]),
    ];
  }
  const surface = /^0x[\da-f]{1,16}$/.exec(facts.ghostty_surface_id ?? '')?.[0];
  if (surface === undefined || facts.term_program !== 'ghostty') return [];
  const id = BigInt(surface).toString();
  return busSteps(activate, {
    busctl: ['sava{sv}', 'present-surface', '1', 't', id, '0'],
    gdbus: ["'present-surface'", `[<uint64 ${id}>]`, '{}'],
  });
};
