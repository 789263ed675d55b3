import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { LiveAgent } from './live-agent.ts';
import type { Heard, LiveHome } from './live-home.ts';
import type { Played } from './play.ts';

export interface RecordedRow {
  readonly played: Played;
  readonly heard: readonly Heard[];
}

/** Writes down what an agent sent in each row, without the paths of this machine. */
export async function record(
  directory: string,
  { agent, npm, version }: LiveAgent,
  { home }: Pick<LiveHome, 'home'>,
  recorded: readonly RecordedRow[],
): Promise<void> {
  const at = new Date().toISOString().slice(0, 10);
  const rows = recorded.map(({ played: { row, from, to, stuck }, heard }) => ({
    row: row.name,
    played: stuck === null,
    events: heard
      .filter(({ view }) => Date.parse(view.at) >= from && Date.parse(view.at) < to)
      .map(({ view, words, payload }) => ({
        ms: Date.parse(view.at) - from,
        words,
        payload: JSON.parse(anonymous(payload, home)),
      })),
  }));
  const text = JSON.stringify({ agent, npm, version, recorded: at, rows }, null, 1);
  await writeFile(join(directory, `${agent}.json`), `${text}\n`);
}

function anonymous(payload: string, home: string): string {
  const dashed = home.replaceAll(/[^A-Za-z0-9]/g, '-');
  return payload.replaceAll(home, '/home/dev').replaceAll(dashed, '-home-dev');
}
