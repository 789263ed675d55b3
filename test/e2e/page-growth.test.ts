import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { createPageFeed } from '../../src/page/page-feed.ts';
import { silentLog } from '../../src/platform/log.ts';
import { listenOnLoopback } from '../../src/platform/http/http-server.ts';
import { idleTimer } from '../../src/platform/time.ts';
import { until } from '../support/hookbell-home.ts';
import { openLink } from '../support/page-home.ts';
import { sampleSessionView } from '../support/sample-views.ts';
import { rounds } from '../support/seeded-random.ts';
import { servedPage } from '../support/served-page.ts';
import { needs } from '../support/system-part.ts';

const MB = 1024 * 1024;
/** Less than the smallest row would take that is kept for an update. */
const MOST_BYTES = 48;
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** A third of a day with many agents. */
const PUSHES = rounds(30_000);

test('tens of thousands of updates leave nothing behind in the daemon', async () => {
  let updates = 0;
  const pushes: (() => void)[] = [];
  const feed = createPageFeed({
    load: async () => {
      updates += 1;
      const row = { id: `s${updates % 40}`, html: `<p>Update ${updates} ${'x'.repeat(800)}</p>` };
      return { regions: [{ id: 'waiting', rows: [row] }], counts: { waiting: updates } };
    },
    now: () => 0,
    startTimer: (ms, callback) => {
      if (ms <= 200) pushes.push(callback);
      return () => undefined;
    },
    log: silentLog,
  });
  let bytes = 0;
  const server = await listenOnLoopback({ host: '127.0.0.1', port: 0 }, () => (_, response) => {
    const start = (): void => void response.writeHead(200);
    void feed.follow('view', {
      response,
      version: '',
      finish: String,
      isSignedIn: () => true,
      start,
    });
  });
  const answer = await fetch(server.origin);
  void answer.body?.pipeTo(
    new WritableStream<Uint8Array>({ write: (chunk) => void (bytes += chunk.length) }),
  );
  const update = async (count: number): Promise<number> => {
    for (let index = 1; index <= count; index += 1) {
      feed.changed();
      pushes.shift()?.();
      await feed.current('view');
      // So that what was written is read.
      if (index % 10 === 0) await setImmediate();
    }
    collect();
    return process.memoryUsage().heapUsed;
  };

  const before = await update(10_000);
  const after = await update(PUSHES);
  feed.stop();
  await server.close();

  const each = (after - before) / PUSHES;
  assert.ok(each < MOST_BYTES, `${each} bytes for each update`);
  assert.ok(bytes > 10 * MB);
});

/** Each is a row that is replaced, and one that moves. */
const UPDATES = 6_000;

test(
  '6,000 updates leave nothing behind in a real browser',
  { skip: needs('chromium'), timeout: 180_000 },
  async () => {
    const sessions = [sampleSessionView()];
    let updates = 0;
    await using page = await servedPage({
      answers: { 'GET /v1/sessions': sessions },
      // Without the pauses between pushes.
      startTimer: (ms, callback) => idleTimer(ms <= 200 ? 0 : ms, callback),
      onAsk(name) {
        if (name !== 'GET /v1/status' || updates >= UPDATES) return;
        updates += 1;
        sessions[0] = sampleSessionView({ key: `s${updates % 40}`, title: `Update ${updates}` });
        process.nextTick(page.changed.emit);
      },
    });
    const { token } = page.host.access.makeLink({ rights: 'decide', withCode: false });
    await using browser = await openLink(`${page.origin}/open/${token}`, { limitMs: 170_000 });
    const sizes = async () => {
      await browser.collectGarbage();
      return {
        browser: Number(await browser.read('String(performance.memory.usedJSHeapSize)')),
        elements: Number(await browser.read('String(document.querySelectorAll("*").length)')),
      };
    };

    await until(() => updates > UPDATES / 10, 60_000);
    const before = await sizes();
    await until(() => updates === UPDATES, 120_000);
    await until(async () => /Update 6000/.test(await browser.read('document.body.textContent')));
    const after = await sizes();

    assert.ok(
      after.browser - before.browser < 4 * MB,
      `browser: ${before.browser}, ${after.browser}`,
    );
    assert.equal(after.elements, before.elements);
  },
);
