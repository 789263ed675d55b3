import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { envelopeBytes } from '../test/support/envelopes.ts';
import { freePort } from '../test/support/free-port.ts';
import { type HookbellHome, hookbellHome, until } from '../test/support/hookbell-home.ts';
import { openLink, printedLink } from '../test/support/page-home.ts';
import { askPage } from '../test/support/reply-page-home.ts';
import { cookieOf, openStream, post, type Stream } from '../test/support/served-page.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { memoryMb } from './support/process-figures.ts';
import { median, percentile } from './support/statistics.ts';

const SESSIONS = 1_000;
const UPDATES = 40;
const PAGES = 10;

/** The page with 1,000 sessions: how soon it is there, how soon a change is, and what open pages cost the daemon. */
export const page: Benchmark = {
  name: 'page',
  async run() {
    await using place = await hookbellHome();
    await place.writeConfig(`channels: {}\npage: { listen: "127.0.0.1:${await freePort()}" }\n`);
    const { pid = 0 } = await place.start();
    await fill(place);
    const browser = await openLink(await printedLink(place), { width: 1280, height: 900 });
    const url = await browser.read('location.href');
    const paints: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      await browser.open(url);
      const paint = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? ''`;
      await until(async () => (await browser.read(`String(${paint})`)) !== '');
      paints.push(Number(await browser.read(`String(${paint})`)));
    }
    const updates: number[] = [];
    for (let index = 0; index < UPDATES; index += 1)
      updates.push(await update(place, browser, index));
    await browser[Symbol.asyncDispose]();

    // A first round loads what every page needs, and grows the heap once.
    for (const stream of await openPages(place, url)) stream[Symbol.dispose]();
    const before = await settledMb(pid);
    const streams = await openPages(place, url);
    const after = await settledMb(pid);
    for (const stream of streams) stream[Symbol.dispose]();
    const slowness = slownessOf(Array.from({ length: 20 }, () => nodeStartMs()));
    return [
      {
        name: 'page with 1,000 sessions, first paint',
        value: median(paints),
        unit: 'ms',
        bound: 300,
        better: 'lower',
        slowness,
        note: `${Math.max(...paints).toFixed(0)} ms at most of ${paints.length}`,
      },
      {
        name: 'page, from the start of the hook until the change is visible, p95',
        value: percentile(updates, 95),
        unit: 'ms',
        bound: 200,
        better: 'lower',
        slowness,
        note: `p50 ${median(updates).toFixed(0)} ms`,
      },
      {
        name: 'ten open pages, memory of the daemon',
        value: after - before,
        unit: 'MB',
        bound: 5,
        better: 'lower',
        note: `${before.toFixed(0)} MB before`,
      },
    ];
  },
};

/** Browsers that are signed in and follow the page. */
async function openPages(place: HookbellHome, url: string): Promise<readonly Stream[]> {
  const streams: Stream[] = [];
  for (let count = 0; count < PAGES; count += 1) {
    const cookie = cookieOf(await post(await printedLink(place), {}));
    const shown = await askPage(url, { headers: { cookie } });
    const version = /data-version="([^"]+)"/.exec(shown.body)?.[1] ?? '';
    streams.push(await openStream(`${url}live?view=sessions&version=${version}`, { cookie }));
  }
  return streams;
}

/** Sessions in the states of a long day: 20 wait, 30 work, the others are done. */
async function fill(place: HookbellHome): Promise<void> {
  const write = (fields: object): void => {
    const name = randomUUID();
    writeFileSync(
      join(place.paths.spool, name),
      envelopeBytes(name, JSON.stringify(fields), { agent: 'claude' }),
    );
  };
  for (let index = 0; index < SESSIONS; index += 1)
    write(
      payload(index, {
        hook_event_name: 'UserPromptSubmit',
        prompt: `Task ${index}: make the tests of module ${index} pass`,
      }),
    );
  const count = async (): Promise<number> => (await place.ask('GET /v1/status')).events;
  await until(async () => (await count()) === SESSIONS, 60_000);
  for (let index = 0; index < SESSIONS - 30; index += 1)
    write(
      payload(
        index,
        index < 20
          ? {
              hook_event_name: 'Notification',
              notification_type: 'permission_prompt',
              message: `Claude needs your permission to use Bash (${index})`,
            }
          : { hook_event_name: 'Stop' },
      ),
    );
  await until(async () => (await count()) === 2 * SESSIONS - 30, 60_000);
}

/** From the start of the hook until the page has drawn the change, ms. */
async function update(
  place: HookbellHome,
  browser: Awaited<ReturnType<typeof openLink>>,
  index: number,
): Promise<number> {
  // Not in step with what the page does by itself.
  await delay(300 + (index % 7) * 50);
  const title = `Update number ${index}`;
  const seen = browser.evaluate(
    `new Promise((resolve) => { const look = () => document.body.textContent.includes(${JSON.stringify(title)}) ? requestAnimationFrame(() => resolve(String(Date.now()))) : requestAnimationFrame(look); look(); })`,
  );
  const startedAt = Date.now();
  await place.hook(
    {
      hook_event_name: 'UserPromptSubmit',
      session_id: `update-${index}`,
      prompt: title,
      cwd: '/w/x',
    },
    ['--agent', 'claude'],
  );
  return Number(await seen) - startedAt;
}

/** After what was allocated for a moment has been collected. */
async function settledMb(pid: number): Promise<number> {
  const readings: number[] = [];
  for (let count = 0; count < 8; count += 1) {
    await delay(500);
    readings.push(memoryMb(pid, 'VmRSS'));
  }
  return Math.min(...readings);
}

function payload(index: number, fields: object): object {
  const cwd = `/home/dev/project-${index % 30}`;
  return { session_id: `session-${index}`, cwd, ...fields };
}
