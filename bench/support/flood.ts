// Leaves envelopes in a spool at an even rate, as hooks do, only without their processes, which alone would take several machines:
// `flood.js SPOOL COUNT PER-SECOND`.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { envelopeBytes } from '../../test/support/envelopes.ts';
import { workday } from './workday.ts';

const TICK_MS = 10;

const [, , spool = '', count = '', perSecond = ''] = process.argv;
const payloads = workday(Number(count));
const startedAt = performance.now();
for (let written = 0; written < Number(count);) {
  const due = ((performance.now() - startedAt) / 1_000) * Number(perSecond);
  for (; written < Math.min(due, Number(count)); written += 1) {
    const name = randomUUID();
    const bytes = envelopeBytes(name, JSON.stringify(payloads.next().value), { agent: 'claude' });
    writeFileSync(join(spool, name), bytes, { mode: 0o600 });
  }
  await delay(TICK_MS);
}
