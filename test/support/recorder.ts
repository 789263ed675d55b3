import { readFile, symlink, writeFile } from 'node:fs/promises';
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

/** A directory of programs that record how they were called: stands in for those that cannot run here. */
export interface Recorder extends AsyncDisposable {
  /** For PATH. */
  readonly directory: string;
  /**
   * Makes a program, or changes it.
   *
   * @param script shell commands that run after the recording
   * @param probe shell commands that run instead of it, such as a `case "$1"` that exits
   */
  add(name: string, script?: string, probe?: string): Promise<void>;
  /** Lends a real program. */
  lend(name: string, path: string): Promise<void>;
  runs(name: string): Promise<readonly RecordedRun[]>;
  /** Settles with the latest run, once there are `count`. */
  reached(name: string, count: number): Promise<RecordedRun>;
}

// U+0001 and U+0002 cannot be in a cleaned text, so they separate runs and their parts.
const RECORDING = String.raw`
{
  printf '%s\0' "$@"
  printf '\002%s\002' "$$"
  /usr/bin/env -0
  printf '\002'
  /bin/cat
  printf '\001'
} >> "$0.runs"
`;

export async function createRecorder(): Promise<Recorder> {
  const directory = await temporaryDirectory();
  async function runs(name: string): Promise<readonly RecordedRun[]> {
    const recorded = await readFile(join(directory.path, `${name}.runs`), 'utf8').catch(() => '');
    return recorded.split('\u0001').slice(0, -1).map(parseRun);
  }
  return {
    directory: directory.path,
    add: (name, script = '', probe = '') =>
      writeFile(join(directory.path, name), `#!/bin/sh\n${probe}\n${RECORDING}\n${script}\n`, {
        mode: 0o700,
      }),
    lend: (name, path) => symlink(path, join(directory.path, name)),
    runs,
    async reached(name, count) {
      for (;;) {
        const latest = (await runs(name))[count - 1];
        if (latest !== undefined) return latest;
        await delay(10);
      }
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
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
