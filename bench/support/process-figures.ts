import { readFileSync, readdirSync } from 'node:fs';

/** Milliseconds on a processor since its start, of all threads that still live; Linux counts them in nanoseconds. */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6;
}

/** Resident memory in MB: now (`VmRSS`) or at its peak (`VmHWM`); see proc_pid_status(5). */
export function memoryMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}

/** How often any thread of a process went to sleep and was woken again. */
export function wakeUps(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1'))
    .map((status) => Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0))
    .reduce((sum, one) => sum + one, 0);
}
