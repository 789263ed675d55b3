import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { projectRoot } from './hookbell-home.ts';

/** Every request of the control socket, such as "POST /v1/ack", as its contract lists them. */
export async function controlRequests(): Promise<readonly string[]> {
  const contracts = ['contract.ts', 'hub-contract.ts'];
  const texts = await Promise.all(
    contracts.map((file) => readFile(join(projectRoot, 'src/control', file), 'utf8')),
  );
  return texts.flatMap((text) => text.match(/(?<=^ +')(?:GET|POST) \/v1\/[\w-]+(?=': )/gm) ?? []);
}
