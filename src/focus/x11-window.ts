import type { HookFacts } from '../core/facts.ts';
import type { Step } from './step.ts';

/** The X server a terminal is shown by, as a variable for programs; null where there is none. */
export function displayOf({ display }: HookFacts): { readonly DISPLAY: string } | null {
  const name = /^(?:[\dA-Za-z][\w.-]*)?:\d{1,5}(?:\.\d{1,3})?$/.exec(display ?? '')?.[0];
  return name === undefined ? null : { DISPLAY: name };
}

/** The number of an X window; null for all else, such as what Alacritty on Wayland calls its window. */
export function windowNumber(fact: string | undefined): string | null {
  return /^[1-9]\d{0,9}$/.exec(fact ?? '')?.[0] ?? null;
}

/** Both ask the window manager, which may switch to the desktop the window is on: xdotool(1), wmctrl(1). */
export function activateWindow(window: string, env: { readonly DISPLAY: string }): readonly Step[] {
  return [
    { program: 'xdotool', arguments: ['windowactivate', window], env },
    { program: 'wmctrl', arguments: ['-i', '-a', `0x${Number(window).toString(16)}`], env },
  ];
}
