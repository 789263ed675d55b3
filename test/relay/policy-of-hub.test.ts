import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/load.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createPolicyOfHub } from '../../src/relay/policy-of-hub.ts';
import type { HubReply } from '../../src/relay/link.ts';
import { until } from '../support/hookbell-home.ts';
import { sampleCatalog } from '../support/sample-channels.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const HUB = 'https://hub.example.com';
const SET_AT = 1_700_000_000_000;

async function configFor(to: string): Promise<Config> {
  const relay = `relay: { to: "${to}", token: { env: TOKEN }, ring_here: true }`;
  const text = `channels: { desktop: { type: desktop } }\n${to === '' ? '' : relay}\n`;
  const loaded = await parseConfig(text, '/config.yaml', { catalog: sampleCatalog });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.config;
}

/** A machine with a hub that the test plays. */
async function machineAt(path: string, { to = HUB }: { readonly to?: string } = {}) {
  let written = await configFor(to);
  let change: ((config: Config) => Config) | null = null;
  const inForce = (): Config => change?.(written) ?? written;
  let policy: object | null = null;
  let isAway = false;
  const asked: string[] = [];
  const warnings = new Map<string, string>();
  const said = createPolicyOfHub({
    path,
    config: {
      current: inForce,
      changeBy: (next) => Promise.resolve(void (change = next)),
    },
    warnings: {
      raise: (key, text) => void warnings.set(key, text),
      clear: (key) => void warnings.delete(key),
    },
    now: () => SET_AT + 1_000_000,
    log: silentLog,
    startTimer: () => () => undefined,
  });
  await said.resume();
  async function ask(route: string): Promise<HubReply | null> {
    asked.push(route);
    if (isAway) return { type: 'unreachable', reason: 'connection refused' };
    return { type: 'ok', answer: { version: 1, policy } };
  }
  return {
    said,
    ask,
    asked,
    warnings,
    config: inForce,
    hubHas(next: object | null) {
      policy = next;
    },
    hubIsAway() {
      isAway = true;
    },
    async relayTo(other: string) {
      written = await configFor(other);
    },
    body: () => inForce().channels.find(({ name }) => name === 'desktop')?.body,
    async [Symbol.asyncDispose]() {
      await said.stop();
    },
  };
}

describe('createPolicyOfHub()', () => {
  test('asks at its start, and again when the hub names another version', async () => {
    await using directory = await temporaryDirectory();
    await using machine = await machineAt(join(directory.path, 'policy.json'));
    machine.hubHas({ version: SET_AT, policy: { text: 'summary' } });

    machine.said.start(machine.ask);
    await until(() => machine.body() === 'summary');
    machine.said.learnVersion(SET_AT);
    machine.said.learnVersion(null);
    assert.deepEqual(machine.asked, ['/v1/hub/policy']);
    assert.deepEqual(machine.said.view(), {
      text: 'summary',
      setAt: new Date(SET_AT).toISOString(),
    });

    machine.hubHas({ version: SET_AT + 1, policy: { text: 'none', channels: [] } });
    machine.said.learnVersion(SET_AT + 1);
    await until(() => machine.body() === 'none');
    assert.deepEqual(machine.config().policy.forbiddenChannels, ['desktop']);
  });

  test('keeps the policy over a restart while the hub does not respond, in a file of this user', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'policy.json');
    await using before = await machineAt(path);
    before.hubHas({ version: SET_AT, policy: { redact: true } });
    before.said.start(before.ask);
    await until(() => before.config().redact.history);

    await using after = await machineAt(path);
    after.hubIsAway();
    assert.equal(after.config().redact.history, true);
    after.said.start(after.ask);
    await until(() => after.asked.length === 1);

    assert.equal(after.config().redact.history, true);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  });

  test('takes no policy older than the one in force, and none that it cannot read', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'policy.json');
    await using machine = await machineAt(path);
    machine.hubHas({ version: SET_AT, policy: { text: 'none' } });
    machine.said.start(machine.ask);
    await until(() => machine.body() === 'none');

    machine.hubHas({ version: SET_AT - 1, policy: {} });
    machine.said.learnVersion(SET_AT - 1);
    await until(() => machine.asked.length === 2);
    machine.hubHas({ version: SET_AT + 1, policy: { text: 'none', phones: 'off' } });
    await until(async () => {
      machine.said.learnVersion(SET_AT + 1);
      return machine.warnings.size === 1;
    });

    assert.match(machine.warnings.get('policy') ?? '', /run "hookbell upgrade"/);
    assert.equal(machine.body(), 'none');
    assert.equal(JSON.parse(await readFile(path, 'utf8')).version, SET_AT);
    machine.hubHas({ version: SET_AT + 2, policy: {} });
    machine.said.learnVersion(SET_AT + 2);
    await until(() => machine.body() === 'full');
    assert.equal(machine.warnings.size, 0);
  });

  test('means nothing to a machine that relays to another hub, or to none', async () => {
    await using directory = await temporaryDirectory();
    await using machine = await machineAt(join(directory.path, 'policy.json'));
    machine.hubHas({ version: SET_AT, policy: { text: 'none' } });
    machine.said.start(machine.ask);
    await until(() => machine.body() === 'none');

    for (const other of ['https://other.example.com', '']) {
      await machine.relayTo(other);
      assert.equal(machine.body(), 'full');
      assert.equal(machine.said.view(), null);
    }
    // Its versions have nothing to do with those of the former hub.
    await machine.relayTo('https://other.example.com');
    machine.hubHas({ version: 5, policy: { text: 'summary' } });
    machine.said.learnVersion(5);
    await until(() => machine.body() === 'summary');
  });

  test('applies a policy that it cannot keep, and starts without one from a broken file', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'policy.json');
    await using full = await machineAt(join(directory.path, 'missing', 'policy.json'));
    full.hubHas({ version: SET_AT, policy: { text: 'none' } });
    full.said.start(full.ask);
    await until(() => full.body() === 'none');

    await writeFile(path, '{"version":1,');
    await using broken = await machineAt(path);
    assert.equal(broken.body(), 'full');
  });
});
