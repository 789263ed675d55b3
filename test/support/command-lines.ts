import { readFile, readdir } from 'node:fs/promises';

/** What every process of the machine was started with, as every user can read it. By process id. */
export async function commandLines(): Promise<ReadonlyMap<number, string>> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(
    processes.map(async (pid): Promise<[number, string]> => {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return [Number(pid), line];
    }),
  );
  return new Map(entries);
}
