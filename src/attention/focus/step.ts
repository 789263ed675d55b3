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
  /** What has to succeed before. */
  readonly after?: FocusStep;
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

/**
 * Tells an application of macOS what a constant AppleScript says, only while it runs: "tell" alone would start it, its
 * property "running" does not (AppleScript Language Guide, Class Reference). The value is the argument of the script,
 * never a part of its source.
 *
 * @param application such as `application "Terminal"`; may name `item 1 of argv`, the value
 */
export function osascriptStep(application: string, script: string, value: string): FocusStep {
  const body =
    script === '' ? [] : [`tell ${application}`, ...script.trim().split('\n'), 'end tell'];
  const check = `if ${application} is not running then error "it does not run"`;
  const words = ['on run argv', check, ...body, 'end run'].flatMap((line) => ['-e', line]);
  return { program: 'osascript', arguments: [...words, '--', value] };
}

/** Opens a macOS application, or a path in it, only if it runs: open(1) would start it. */
export function openStep(bundle: string, ...paths: readonly string[]): FocusStep {
  const after = osascriptStep('application id (item 1 of argv)', '', bundle);
  return { program: 'open', arguments: ['-b', bundle, ...paths], after };
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
