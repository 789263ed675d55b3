import type { HookFacts } from '../core/facts.ts';

/** A program to run, never through a shell. */
export interface Step {
  /** Its name, looked up on PATH. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** Variables on top of the few that programs get. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its status does not tell whether it found anything: the steps after it are taken as well. */
  readonly blind?: true;
}

/** Where a session is seen. */
export interface Place {
  /** The variables of the terminal's own surroundings: not trusted, so whatever goes into a step is matched first. */
  readonly facts: HookFacts;
  /** The process in the terminal and all it descends from, nearest first: one of them is the terminal. */
  readonly processes: readonly number[];
  /** Its device, such as "/dev/ttys003". */
  readonly device: string | null;
  /** The folder the agent works in, an absolute path. */
  readonly directory: string | null;
  /** What an editor has open that shows this folder, one of several windows: a folder or a workspace file, an absolute path. */
  readonly editorFolder: string | null;
}

/**
 * Finds the steps that bring a place forward, by one program: each alone would do, the likeliest comes first. Pure. None
 * where the surroundings do not tell of that program.
 */
export type Focus = (place: Place) => readonly Step[];
