// A person at a separate terminal: decides as `hookbell allow` and `hookbell deny` do, at the moment a test says.
//
//   person-at-terminal SOCKET HOME
import { closeSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

import { callDaemon } from '../../src/control/control-client.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import type { PersonDecision, PersonResult } from './person.ts';

const [, , socket = '', home = ''] = process.argv;
const paths = resolvePaths({ HOME: home }, process.platform, home);
const line = connect(socket);

for await (const text of createInterface({ input: line })) {
  const decision: PersonDecision = JSON.parse(text);
  line.write(`${JSON.stringify(await decide(decision))}\n`);
}

async function decide({ atMs, ...answer }: PersonDecision): Promise<PersonResult> {
  const wait = atMs - Date.now();
  if (wait > 0) await delay(wait);
  const startedAt = performance.timeOrigin + performance.now();
  try {
    return { ...(await ask(answer)), startedAt };
  } catch (error) {
    return { accepted: null, reason: String(error), startedAt };
  }
}

async function ask(
  answer: Omit<PersonDecision, 'atMs'>,
): Promise<Pick<PersonResult, 'accepted' | 'reason'>> {
  const { id, path } = await callDaemon(paths, 'POST /v1/caller');
  const file = openSync(path, 'r');
  try {
    const caller = { challenge: id, pid: process.pid };
    const { accepted, reason } = await callDaemon(paths, 'POST /v1/answer', {
      body: { ...answer, caller },
    });
    return { accepted, reason };
  } finally {
    closeSync(file);
  }
}
