// A daemon's delivery in a separate process, for tests that kill it: `delivery-child.js DATABASE CONCURRENCY [hold]`. Each send says
// "sent ID repeat|first" on stdout, each record of an outcome "recorded"; both are written synchronously, because nothing may be lost
// when the process dies. With "hold" it says "answered" once the channel has answered, and goes no further.
import { writeSync } from 'node:fs';

import { createRenderer } from '../../src/delivery/render.ts';
import { createWorker } from '../../src/delivery/worker.ts';
import { openStore } from '../../src/store/open-store.ts';
import { fakeChannel } from './fake-channel.ts';

const [, , path = '', concurrency = '', mode = ''] = process.argv;
const { store } = await openStore({ path, now: Date.now });

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

const { channel, limits, answer } = fakeChannel({
  now: Date.now,
  concurrency: Number(concurrency),
});
answer(({ id, notification }) => {
  say(`sent ${id} ${notification.possibleDuplicate ? 'repeat' : 'first'}`);
  return { type: 'delivered' };
});

createWorker({
  outbox: {
    ...store.outbox,
    async recordAttempt(settlement) {
      if (mode === 'hold') {
        say('answered');
        await new Promise(() => {});
      }
      const isRecorded = await store.outbox.recordAttempt(settlement);
      say('recorded');
      return isRecorded;
    },
  },
  channels: new Map([['team', { channel, limits }]]),
  render: createRenderer().notification,
  now: Date.now,
}).start();
