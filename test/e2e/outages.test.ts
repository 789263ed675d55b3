import assert from 'node:assert/strict';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { ChannelStateView } from '../../src/control/contract.ts';
import { readLines } from '../support/file-channel-home.ts';
import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome } from '../support/hookbell-home.ts';
import type { HttpEndpoint } from '../support/http-endpoint.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';
import { startNotificationServer } from '../support/notification-server.ts';
import type { FaultyServer } from '../support/smtp-faults.ts';
import { startFaultySmtp } from '../support/smtp-faults.ts';
import { needs } from '../support/system-part.ts';

const shiftedClock = fileURLToPath(new URL('../support/shifted-clock.js', import.meta.url));
const PATIENCE_MS = 60_000;
const TICK_MS = 200;

/** The far side of one channel, which can go away and come back. */
interface FarSide {
  readonly options: string;
  goAway(): Promise<void> | void;
  comeBack(): Promise<void> | void;
  /** All that arrived so far, as text. */
  arrived(): Promise<readonly string[]> | readonly string[];
}

async function fileSide(place: HookbellHome): Promise<FarSide> {
  const folder = join(place.home, 'lines');
  const path = join(folder, 'out.jsonl');
  return {
    options: `{ type: file, path: ${path} }`,
    async goAway() {
      await rename(folder, `${folder}.away`);
      await writeFile(folder, 'A file where the folder was');
    },
    async comeBack() {
      await rm(folder);
      await rename(`${folder}.away`, folder);
    },
    arrived: async () => (await readLines(path)).map(({ body }) => body),
  };
}

async function commandSide(place: HookbellHome): Promise<FarSide> {
  const [path, down] = [join(place.home, 'ran'), join(place.home, 'down')];
  const script = `[ ! -e ${down} ] && cat >> ${path} && echo >> ${path}`;
  return {
    options: `{ type: command, command: [sh, -c, "${script}"] }`,
    goAway: () => writeFile(down, ''),
    comeBack: () => rm(down),
    arrived: async () =>
      (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
  };
}

/** A server over HTTP that answers 503 while it is away. What it got then did not arrive. */
function httpSide(server: HttpEndpoint, options: string): FarSide {
  const refused: (readonly [number, number])[] = [];
  let awayFrom: number | null = null;
  return {
    options,
    goAway() {
      awayFrom = server.requests.length;
      server.answer({ status: 503, body: 'down' });
    },
    comeBack() {
      refused.push([awayFrom ?? 0, server.requests.length]);
      awayFrom = null;
      server.answer({ status: 200, body: 'ok' });
    },
    arrived: () =>
      server.requests
        .slice(0, awayFrom ?? undefined)
        .filter((_request, at) => refused.every(([from, to]) => at < from || at >= to))
        .map(({ body }) => body),
  };
}

function mailSide(server: FaultyServer): FarSide {
  const mails: string[] = [];
  return {
    options: `{ type: email, to: [me@x.test], from: robot@x.test, smtp: { host: 127.0.0.1, port: ${server.port}, starttls: never } }`,
    // A connection that is kept brings the next mail without another greeting.
    goAway: () => server.setFaults({ connect: 421, mail: 421 }),
    comeBack: () => server.setFaults({}),
    arrived() {
      mails.push(...server.takeMails().map(({ raw }) => raw.toString()));
      return mails;
    },
  };
}

test(
  'an outage, shorter or longer than the opening of the circuit, loses nothing on any type of channel and has a reason meanwhile (A1, A2, faults 28, 35)',
  { skip: needs('dbus-daemon'), timeout: 300_000 },
  async () => {
    await using place = await hookbellHome();
    await using popUps = await startNotificationServer();
    await using slack = await openHttpEndpoint();
    await using webhook = await openHttpEndpoint();
    await using smtp = await startFaultySmtp();
    const sides: Readonly<Record<string, FarSide>> = {
      screen: {
        options: '{ type: desktop }',
        goAway: () => popUps.leave(),
        comeBack: () => popUps.enter(),
        arrived: () => popUps.calls.map(({ body }) => body),
      },
      team: httpSide(
        slack,
        `{ type: slack, webhook: "${slack.url}/services/T0/B0/x", allow_any_host: true }`,
      ),
      web: httpSide(
        webhook,
        `{ type: webhook, url: "${webhook.url}/in", allow_http: true, allow_private: true }`,
      ),
      mail: mailSide(smtp),
      run: await commandSide(place),
      out: await fileSide(place),
    };
    const names = Object.keys(sides);
    const lines = Object.entries(sides).map(([name, { options }]) => `  ${name}: ${options}\n`);
    await place.writeConfig(
      `channels:\n${lines.join('')}routes: [{ match: {}, notify: [${names.join(', ')}] }]\nnoise: { burst: { at_once: 100 } }\n`,
    );
    const clock = join(place.home, 'clock');
    Object.assign(place.env, {
      HOOKBELL_TEST_CLOCK: clock,
      DBUS_SESSION_BUS_ADDRESS: popUps.address,
    });
    await place.start(['--import', shiftedClock]);

    let shiftMs = 0;
    /** Lets time pass for the daemon, step by step, until this holds. */
    async function untilLater(stepMs: number, holds: () => Promise<boolean>): Promise<void> {
      const giveUpAt = performance.now() + PATIENCE_MS;
      while (!(await holds())) {
        if (performance.now() > giveUpAt) throw new Error(await report());
        shiftMs += stepMs;
        await writeFile(clock, String(shiftMs));
        await delay(TICK_MS);
      }
    }
    async function channels(): Promise<readonly ChannelStateView[]> {
      const { channels: all } = await place.ask('GET /v1/status');
      return all.filter(({ name }) => names.includes(name));
    }
    async function counts(event: string): Promise<Readonly<Record<string, number>>> {
      const found = Object.entries(sides).map(async ([name, side]) => {
        const texts = await side.arrived();
        return [name, texts.filter((text) => text.includes(event)).length] as const;
      });
      return Object.fromEntries(await Promise.all(found));
    }
    async function haveArrived(...events: readonly string[]): Promise<boolean> {
      const found = await Promise.all(events.map(counts));
      return found.every((of) => Object.values(of).every((count) => count > 0));
    }
    async function report(): Promise<string> {
      const waiting = await place.ask('GET /v1/queue');
      return JSON.stringify({ channels: await channels(), waiting });
    }
    async function handIn(event: string): Promise<void> {
      const payload = { hook_event_name: 'Notification', message: event, cwd: '/home/dev/shop' };
      await place.hook({ session_id: event, ...payload }, ['--agent', 'claude']);
    }
    async function everySide(does: 'goAway' | 'comeBack'): Promise<void> {
      for (const side of Object.values(sides)) await side[does]();
    }

    await handIn('event-before.');
    await untilLater(0, () => haveArrived('event-before.'));

    await everySide('goAway');
    await handIn('event-short.');
    await untilLater(0, async () =>
      (await channels()).every(({ lastOutcome }) => lastOutcome === 'retry'),
    );
    assert.deepEqual(
      (await channels()).filter(({ state }) => state === 'open'),
      [],
    );
    await everySide('comeBack');
    await untilLater(1_000, () => haveArrived('event-short.'));

    await everySide('goAway');
    const events = ['event-one.', 'event-two.', 'event-three.'];
    for (const event of events) await handIn(event);
    await untilLater(5_000, async () => (await channels()).every(({ state }) => state === 'open'));
    const waiting = await place.ask('GET /v1/queue', { query: { state: 'pending,retrying' } });
    assert.equal(waiting.length, events.length * names.length);
    assert.deepEqual(
      names.filter((name) => !waiting.some((one) => one.channel === name && one.reason !== null)),
      [],
    );
    const { warnings } = await place.ask('GET /v1/status');
    for (const name of names) assert.match(warnings.join('\n'), new RegExp(`"${name}"`));
    await everySide('comeBack');
    await untilLater(60_000, () => haveArrived(...events));

    const all = ['event-before.', 'event-short.', ...events];
    const once = Object.fromEntries(names.map((name) => [name, 1]));
    for (const event of all) assert.deepEqual(await counts(event), once, event);
    const { deliveries } = await place.ask('GET /v1/status');
    assert.deepEqual([deliveries.pending, deliveries.dead], [0, 0]);
  },
);
