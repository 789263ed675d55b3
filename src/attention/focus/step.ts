import type { HookFacts } from '../../core/facts.ts';

/** A program to run, never through a shell. */
export interface FocusStep {
  readonly program: string;
  readonly arguments: readonly string[];
  /** Variables on top of the few that programs get. */
  readonly env?: Readonly<Record<string, string>>;
  /** Replaces the usual time that a step gets, ms. */
  readonly patienceMs?: number;
  /** Its status does not show whether it found a window: the steps after it run as well. */
  readonly blind?: true;
}

export interface Place {
  /** The terminal's environment variables: not trusted, so each value is matched before it goes into a step. */
  readonly facts: HookFacts;
  /** The process in the terminal and its ancestors, nearest first: one of them is the terminal. */
  readonly processes: readonly number[];
  /** Its device, such as "/dev/ttys003". */
  readonly device: string | null;
  /** The folder the agent works in, an absolute path. */
  readonly directory: string | null;
  /** What an editor has open, in one of several windows, that contains this folder: a folder or a workspace file, absolute. */
  readonly editorFolder: string | null;
}

/** Pure. Each step alone would do, the likeliest comes first; none if the environment does not identify the program. */
export type Focus = (place: Place) => readonly FocusStep[];

type BusMethod = Readonly<Record<'service' | 'object' | 'interface' | 'name', string>>;

/** Calls a method of an object on the session bus by busctl, with types before values, or by gdbus, as GVariant text. */
export function busSteps(
  { service, object, interface: face, name }: BusMethod,
  values: { readonly busctl: readonly string[]; readonly gdbus: readonly string[] },
): readonly FocusStep[] {
  const options = ['--user', '--auto-start=no', '--'];
  const target = ['--dest', service, '--object-path', object, '--method', `${face}.${name}`];
  const call = ['call', service, object, face, name];
  return [
    { program: 'busctl', arguments: [...options, ...call, ...values.busctl] },
    { program: 'gdbus', arguments: ['call', '--session', ...target, '--', ...values.gdbus] },
  ];
}

/** Runs a constant AppleScript; the values are passed as its arguments, never as a part of its source. */
export function osascriptStep(script: string, ...values: readonly string[]): FocusStep {
  const lines = script.trim().split('\n');
  const words = lines.flatMap((line) => ['-e', line.trim()]);
  return { program: 'osascript', arguments: [...words, '--', ...values] };
}

/** The X server that displays a terminal, as a variable for programs; null without one. */
export function displayOf({ display }: HookFacts): { readonly DISPLAY: string } | null {
  const name = /^(?:[\dA-Za-z][\w.-]*)?:\d{1,5}(?:\.\d{1,3})?$/.exec(display ?? '')?.[0];
  return name === undefined ? null : { DISPLAY: name };
}

/** The number of an X window; null for anything else, such as Alacritty's window id on Wayland. */
export function windowNumber(fact: string | undefined): string | null {
  return /^[1-9]\d{0,9}$/.exec(fact ?? '')?.[0] ?? null;
}

/** Both ask the window manager, which may switch to the desktop the window is on: xdotool(1), wmctrl(1). */
export function activateWindow(
  window: string,
  env: { readonly DISPLAY: string },
): readonly FocusStep[] {
  return [
    { program: 'xdotool', arguments: ['windowactivate', window], env },
    { program: 'wmctrl', arguments: ['-i', '-a', `0x${Number(window).toString(16)}`], env },
  ];
}
