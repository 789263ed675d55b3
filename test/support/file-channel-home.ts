import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { HookbellHome } from './hookbell-home.ts';
import { hookbellHome } from './hookbell-home.ts';

/** A line of a file channel. */
export interface Line {
  readonly at: string;
  readonly channel: string;
  readonly eventId: string;
  readonly kind: string;
  readonly severity: string;
  readonly sessionId: string | null;
  readonly project: string | null;
  readonly title: string;
  readonly body: string;
  readonly possibleDuplicate: boolean;
}

export interface FileChannelHome extends HookbellHome {
  /** What the channel "out" has written so far. */
  lines(): Promise<readonly Line[]>;
}

/**
 * A home whose events all go to the file channel "out", whatever they are.
 *
 * @param more further channels, in YAML: "name: { … }", each receives every event as well
 */
export async function fileChannelHome(
  more: Readonly<Record<string, string>> = {},
): Promise<FileChannelHome> {
  const place = await hookbellHome();
  const out = join(place.home, 'out.jsonl');
  const channels = { out: `{ type: file, path: ${out} }`, ...more };
  await place.writeConfig(`channels:
${Object.entries(channels)
  .map(([name, options]) => `  ${name}: ${options}\n`)
  .join('')}routes: [{ match: {}, notify: [${Object.keys(channels).join(', ')}] }]
`);
  return { ...place, lines: () => readLines(out) };
}

/** The lines a file channel has written to a file, without one that it is writing. */
export async function readLines(path: string): Promise<readonly Line[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== '')
    .map((line): Line => JSON.parse(line));
}
