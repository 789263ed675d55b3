import { readdirSync, readFileSync } from 'node:fs';
import { readFile, readlink, stat } from 'node:fs/promises';
import { uptime } from 'node:os';
import { isAbsolute } from 'node:path';

import { factsOf } from '../../../hooks/facts.ts';
import { isProgramOf } from '../../control/caller.ts';
import type { AgentProcesses } from '../../core/agent/agent-traits.ts';
import type { Witness } from '../../agents/support/seen-events.ts';
import type { RecordedSession } from '../../core/agent/witness.ts';
import type { HookFacts } from '../../core/facts.ts';
import {
  isSameProcess,
  type ProcessEntry,
  processExists,
  processLine,
} from '../../platform/process-table.ts';

export type AgentProcessesHere = ReturnType<typeof createAgentProcesses>;

export interface AtTerminal extends Pick<ProcessEntry, 'start' | 'ageMs'> {
  readonly cwd: string;
}

export interface AgentProcessOptions {
  readonly programs: AgentProcesses;
  readonly proof: Witness['proof'];
  /** Null where user ids do not exist. */
  readonly uid: number | null;
  readonly now: () => number;
  readonly platform?: NodeJS.Platform;
  readonly proc?: string;
}

/**
 * Looks at the processes of one agent. Without /proc a process can be asked for its existence alone: then a record counts only
 * if it was written since the machine started.
 */
export function createAgentProcesses(options: AgentProcessOptions) {
  const { programs, proof, uid, now, platform = process.platform, proc = '/proc' } = options;
  /** What was read of each process, and its start; forgotten when it is gone. */
  const values = new Map<number, string | null>();

  async function isAgent(pid: number): Promise<boolean> {
    const { uid: owner } = await stat(`${proc}/${pid}`);
    if (uid !== null && owner !== uid) return false;
    const program = await readlink(`${proc}/${pid}/exe`);
    const words = (await partsOf(pid, 'cmdline')).slice(0, 2);
    return [program, ...words].some((word) => isProgramOf(programs, word));
  }

  async function partsOf(pid: number, file: 'cmdline' | 'environ'): Promise<readonly string[]> {
    return (await readFile(`${proc}/${pid}/${file}`, 'utf8')).split('\0');
  }

  async function environmentOf(pid: number): Promise<Readonly<Record<string, string>>> {
    const pairs = (await partsOf(pid, 'environ')).map((part) => {
      const at = part.indexOf('=');
      return [part.slice(0, at), part.slice(at + 1)] as const;
    });
    return Object.fromEntries(pairs.filter(([name]) => name !== ''));
  }

  return {
    /** The surroundings of the process that a record names; null: it is not that process, not this user's, or not the agent. */
    async prove(session: RecordedSession): Promise<HookFacts | null> {
      const { pid, since } = session;
      const named = proof(session);
      if (platform !== 'linux')
        return processExists(pid) && since >= now() - uptime() * 1_000 ? named : null;
      try {
        // A record without the start of its process: the process must be older than what it has written.
        const [entry] = session.start === null ? await processLine(pid, now() - since) : [];
        const start = session.start ?? entry?.start ?? null;
        if (start === null || !isSameProcess(pid, start) || !(await isAgent(pid))) return null;
        const env = await environmentOf(pid);
        const {
          pid: _pid,
          ppid: _ppid,
          ...facts
        } = factsOf({ agent: '', event: '' }, { env, pid, ppid: 0 });
        // Once more: the number may have been reused while it was read.
        return isSameProcess(pid, start) ? { ...facts, ...named } : null;
      } catch {
        return null;
      }
    },
    /** A process that takes its input from a terminal; null: it is none, not this user's, not the agent, or that is unknown. */
    async atTerminal(pid: number): Promise<AtTerminal | null> {
      if (platform !== 'linux') return null;
      try {
        const [entry] = await processLine(pid);
        if (entry?.isForeground !== true || !(await isAgent(pid))) return null;
        const input = await readlink(`${proc}/${pid}/fd/0`);
        if (!input.startsWith('/dev/pts/') && !input.startsWith('/dev/tty')) return null;
        const { start, ageMs } = entry;
        return { start, ageMs, cwd: await readlink(`${proc}/${pid}/cwd`) };
      } catch {
        return null;
      }
    },
    /** Values of a variable in the environments of the agent's processes; each process is examined one time. */
    async valuesOf(variable: string): Promise<readonly string[]> {
      if (platform !== 'linux') return [];
      // Names are in the kernel's memory: to read them by a thread would wake an idle machine for each process.
      const pids = namesIn(proc).map(Number).filter(Number.isSafeInteger);
      const running = new Set(pids);
      for (const pid of values.keys()) if (!running.has(pid)) values.delete(pid);
      for (const pid of pids) {
        if (values.has(pid)) continue;
        values.set(pid, null);
        try {
          const name = readFileSync(`${proc}/${pid}/comm`, 'utf8').trim();
          const mayBe = programs.programs.includes(name) || interpreters.includes(name);
          if (mayBe && (await isAgent(pid)))
            values.set(pid, (await environmentOf(pid))[variable] ?? null);
        } catch {
          // It has ended, or belongs to another user.
        }
      }
      return [...new Set(values.values())].filter(
        (value): value is string => value !== null && isAbsolute(value),
      );
    },
  };
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

const interpreters: readonly string[] = ['node', 'bun', 'MainThread'];
