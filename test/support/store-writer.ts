// A daemon's store in a separate process, for tests that kill it: `store-writer.js MODE PATH [BATCH-SIZE]`. Line by line it says
// on stdout what was committed, written immediately and not buffered, because nothing may be lost when the process dies.
import { writeSync } from 'node:fs';

import { openStore } from '../../src/store/open-store.ts';
import {
  decideNothing,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  sampleSession,
} from './store.ts';

const [, , mode = '', path = '', batchSize = ''] = process.argv;
const { store } = await openStore({ path, now: Date.now });

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

/** Events "BATCH/NUMBER" in a session of their batch, each with a delivery. `onEvent` is called inside the transaction. */
async function writeBatch(batch: number, onEvent: (number: number) => void): Promise<void> {
  const records = Array.from({ length: Number(batchSize) }, (_, number) =>
    sampleRecord({ id: `${batch}/${number}`, sessionKey: `batch ${batch}` }, 'x'.repeat(3000)),
  );
  let number = 0;
  await store.events.accept(records, (_memory, event) => {
    onEvent(number);
    number += 1;
    return sampleEffects({
      session: sampleSession({ key: event.sessionKey, lastEventId: event.id }),
      deliveries: [sampleDelivery({ id: event.id })],
    });
  });
}

switch (mode) {
  case 'endless': {
    for (let batch = 0; ; batch += 1) {
      await writeBatch(batch, () => {});
      say(`committed ${batch}`);
    }
  }
  case 'stuck': {
    await writeBatch(0, () => {});
    await writeBatch(1, (number) => {
      if (number < Number(batchSize) / 2) return;
      say('in the middle');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });
    break;
  }
  case 'ten': {
    for (let number = 0; number < 10; number += 1) {
      const verdict = await store.events
        .accept([sampleRecord({ id: `event ${number}` })], decideNothing)
        .catch((error: unknown) => error);
      say(verdict instanceof Error && 'code' in verdict ? String(verdict.code) : 'committed');
    }
    await store.close();
    break;
  }
  case 'rewritten': {
    // A savepoint keeps each page it changes, until it is over.
    await writeBatch(0, () => {});
    const records = Array.from({ length: Number(batchSize) }, () =>
      sampleRecord({}, 'x'.repeat(3000)),
    );
    await store.events.accept(records, decideNothing);
    await store.upkeep.prune({ before: Number.MAX_SAFE_INTEGER, maxBytes: 0 });
    await store.queue.drop('all', 'Not needed');
    say('committed');
    await store.close();
    break;
  }
  default:
    throw new Error(`Unknown mode "${mode}"`);
}
