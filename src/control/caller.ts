import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, rmSync, type Stats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename, join } from 'node:path';

import type { AgentProcesses } from '../core/agent/agent-traits.ts';
import { type ProcessEntry, processLine } from '../platform/process-table.ts';
import type { Clock } from '../platform/time.ts';

/** A process that called, or one of its ancestors. */
export interface CallerProcess extends ProcessEntry {
  /** Its command line. */
  readonly words: readonly string[];
  /** Names of its environment variables at its start; empty if they cannot be read. */
  readonly variables: readonly string[];
}

/** The variable that agents of several vendors set for the commands they run. */
const COMMON_VARIABLE = 'AI_AGENT';

/** What is known of agents. */
export interface KnownAgents {
  /** How to recognize their processes. */
  readonly processes: readonly AgentProcesses[];
  /** Processes known to be agents. */
  readonly pids: ReadonlySet<number>;
}

/**
 * Why a process may not decide for a person; null if nothing speaks against it.
 *
 * @param line the process and its ancestors, nearest first
 */
export function whyNotPerson(line: readonly CallerProcess[], agents: KnownAgents): string | null {
  const [caller] = line;
  const oldest = line.at(-1);
  if (caller === undefined || oldest === undefined || oldest.parent > 1) {
    return 'its process cannot be checked';
  }
  const agent = whyAgent(line, agents);
  if (agent !== null) return agent;
  if (caller.terminal === null) return 'it has no terminal';
  return caller.isForeground ? null : 'it runs in the background of its terminal';
}

/** Why a process counts as run by an agent; null if nothing shows that. Arguments as of `whyNotPerson`. */
function whyAgent(line: readonly CallerProcess[], { processes, pids }: KnownAgents): string | null {
  const agentVariables = new Set([
    COMMON_VARIABLE,
    ...processes.flatMap(({ variables }) => variables),
  ]);
  for (const { pid, words, variables } of line) {
    const program = words
      .slice(0, 3)
      .find((word) => processes.some((agent) => isProgramOf(agent, word)));
    if (program !== undefined || pids.has(pid)) {
      return `an agent runs it (process ${pid}${program === undefined ? '' : `, "${basename(program)}"`})`;
    }
    const variable = variables.find((name) => agentVariables.has(name));
    if (variable !== undefined) return `an agent runs it (${variable} is set in process ${pid})`;
  }
  return null;
}

/** Who calls, for people: the user, and that it is through an agent if that shows. */
export async function callerName(pid: number, agents: readonly AgentProcesses[]): Promise<string> {
  const agent = await whyRunByAgent(pid, { processes: agents, pids: new Set() });
  const { username } = userInfo();
  return agent === null ? username : `${username} through a coding agent`;
}

/** Why a process of this machine counts as run by an agent; null if nothing shows that, or the system has no /proc. */
export async function whyRunByAgent(pid: number, agents: KnownAgents): Promise<string | null> {
  return process.platform === 'linux' ? whyAgent(await callerLine(pid), agents) : null;
}

/** Whether a word of a command line, or the path of a program, names an agent. */
export function isProgramOf({ programs, packages = [] }: AgentProcesses, word: string): boolean {
  const path = word.replaceAll('\\', '/');
  return (
    programs.includes(basename(word).replace(/\.(?:[cm]?js|exe)$/, '')) ||
    packages.some((name) => path.includes(`/${name}/`))
  );
}

/** A file that the caller must have open while it answers. Valid once, for some seconds. */
export interface CallerChallenge {
  readonly id: string;
  readonly path: string;
}

/** Checks whether a caller is a person at a terminal. */
export interface CallerCheck {
  challenge(): CallerChallenge;
  /** Why this caller may not decide; null if it may. */
  whyRefused(proof: CallerProof, agentPids: ReadonlySet<number>): Promise<string | null>;
  /** Why this caller may not send words: it is an agent. Scripts of a person may, and callers that cannot be checked. */
  whyAgent(proof: CallerProof, agentPids: ReadonlySet<number>): Promise<string | null>;
  stop(): void;
}

export interface CallerProof {
  readonly challenge: string;
  readonly pid: number;
}

const VALID_MS = 10_000;
const MOST_CHALLENGES = 16;

interface OpenChallenge {
  readonly path: string;
  readonly madeAt: number;
  readonly file: Stats;
}

/**
 * Node cannot ask the kernel which process is at the other end of a socket. So the caller opens a file that only this exchange
 * knows, and names its process; /proc shows whether that process has it open. Another process cannot be named.
 *
 * @param directory private to this user
 */
export function createCallerCheck({
  directory,
  agents: processes,
  now,
  platform = process.platform,
}: {
  readonly directory: string;
  readonly agents: readonly AgentProcesses[];
  readonly now: Clock;
  readonly platform?: NodeJS.Platform;
}): CallerCheck {
  const challenges = new Map<string, OpenChallenge>();

  function remove(id: string): void {
    const challenge = challenges.get(id);
    challenges.delete(id);
    if (challenge !== undefined) rmSync(challenge.path, { force: true });
  }

  /** @param judge of a caller that is on this machine and has the file open */
  async function check(
    { challenge: id, pid }: CallerProof,
    judge: (pid: number) => Promise<string | null>,
  ): Promise<string | null> {
    const challenge = challenges.get(id);
    if (challenge === undefined || now() - challenge.madeAt > VALID_MS) {
      return 'its process cannot be checked';
    }
    try {
      if (!(await hasOpen(pid, challenge))) return 'its process cannot be checked';
      return await judge(pid);
    } finally {
      remove(id);
    }
  }

  return {
    challenge() {
      for (const [id, { madeAt }] of challenges) {
        if (now() - madeAt > VALID_MS || challenges.size >= MOST_CHALLENGES) remove(id);
      }
      const id = randomBytes(16).toString('hex');
      const path = join(directory, `caller-${id}`);
      const opened = openSync(path, 'wx', 0o600);
      const file = fstatSync(opened);
      closeSync(opened);
      challenges.set(id, { path, madeAt: now(), file });
      return { id, path };
    },
    async whyRefused(proof, pids) {
      if (platform !== 'linux') return 'the caller can be checked on Linux only';
      return check(proof, async (pid) => whyNotPerson(await callerLine(pid), { processes, pids }));
    },
    async whyAgent(proof, pids) {
      if (platform !== 'linux') return null;
      return check(proof, (pid) => whyRunByAgent(pid, { processes, pids }));
    },
    stop() {
      for (const id of challenges.keys()) remove(id);
    },
  };
}

/** The reason for a person: another agent would take the words for theirs. */
export function wordsRefused(reason: string): string {
  return `words from an agent are refused: ${reason}`;
}

/** Calls the daemon while this process has the file of a challenge open. */
export async function asCaller<T>(
  challenge: CallerChallenge,
  call: (caller: CallerProof) => Promise<T>,
): Promise<T> {
  const file = openSync(challenge.path, 'r');
  try {
    return await call({ challenge: challenge.id, pid: process.pid });
  } finally {
    closeSync(file);
  }
}

async function hasOpen(pid: number, { file: { dev, ino } }: OpenChallenge): Promise<boolean> {
  const directory = `/proc/${pid}/fd`;
  const files = await readdir(directory).catch(() => []);
  for (const file of files) {
    const found = await stat(join(directory, file)).catch(() => null);
    if (found?.dev === dev && found.ino === ino) return true;
  }
  return false;
}

/** The process and its ancestors, nearest first; empty without /proc. */
export async function callerLine(pid: number): Promise<readonly CallerProcess[]> {
  const line = await processLine(pid);
  return Promise.all(
    line.map(async (entry) => ({
      ...entry,
      words: await partsOf(entry.pid, 'cmdline'),
      variables: (await partsOf(entry.pid, 'environ')).map((part) => part.split('=', 1)[0] ?? ''),
    })),
  );
}

/** Empty if it cannot be read, as the environment of another user's process, such as a log-in. */
async function partsOf(pid: number, file: 'cmdline' | 'environ'): Promise<readonly string[]> {
  const text = await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  return text.split('\0').filter((part) => part !== '');
}
