import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryDirectory } from './temporary-directory.ts';

/** One run of a recorded program. */
export interface RecordedRun {
  readonly arguments: readonly string[];
  readonly pid: number;
  /** Its whole environment, as NAME=value. */
  readonly env: readonly string[];
  /** What came on its standard input. */
  readonly input: string;
}

/** Shell commands, and what a recorded program does. */
export interface Behaviour {
  /** Runs after the recording. */
  readonly script?: string;
  /** Runs before it, and exits for a run that is not to be recorded. */
  readonly probe?: string;
  /** Whether it reads its standard input to the end. */
  readonly readsInput?: boolean;
}

/** A directory of programs that record how they were called: stands in for those that cannot run here. */
export interface Recorder extends AsyncDisposable {
  /** For PATH. */
  readonly directory: string;
  /** Makes a program, or changes it. */
  add(name: string, behaviour?: Behaviour): Promise<void>;
  /** Lends a real program. */
  lend(name: string, path: string): Promise<void>;
  /** What a script of theirs wrote into a file beside it; empty while there is none. */
  read(file: string): string;
  runs(name: string): readonly RecordedRun[];
  /** Settles with the latest run, once there are `count`. */
  reached(name: string, count: number): Promise<RecordedRun>;
}

export async function createRecorder(): Promise<Recorder> {
  const directory = await temporaryDirectory();
  function read(file: string): string {
    try {
      return readFileSync(join(directory.path, file), 'utf8');
    } catch {
      return '';
    }
  }
  function runs(name: string): readonly RecordedRun[] {
    return read(`${name}.runs`).split('\u0001').slice(0, -1).map(parseRun);
  }
  return {
    directory: directory.path,
    add: (name, behaviour = {}) =>
      writeFile(join(directory.path, name), scriptOf(behaviour), { mode: 0o700 }),
    lend: (name, path) => symlink(path, join(directory.path, name)),
    read,
    runs,
    async reached(name, count) {
      for (;;) {
        const latest = runs(name)[count - 1];
        if (latest !== undefined) return latest;
        await delay(10);
      }
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** U+0001 and U+0002 cannot be in a cleaned text, so they separate runs and their parts. */
function scriptOf({ script = '', probe = '', readsInput = false }: Behaviour): string {
  return String.raw`#!/bin/sh
${probe}
{
  printf '%s\0' "$@"
  printf '\002%s\002' "$$"
  /usr/bin/env -0
  printf '\002'
  ${readsInput ? '/bin/cat' : ''}
  printf '\001'
} >> "$0.runs"
${script}
`;
}

function parseRun(recorded: string): RecordedRun {
  const [arguments_ = '', pid = '', env = '', input = ''] = recorded.split('\u0002');
  return {
    arguments: arguments_.split('\0').slice(0, -1),
    pid: Number(pid),
    env: env.split('\0').slice(0, -1),
    input,
  };
}
