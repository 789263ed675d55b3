import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkConfiguration } from '../../../src/cli/doctor/configuration.ts';
import type { Loaded } from '../../../src/config/load.ts';
import type { Problem } from '../../../src/config/problem.ts';
import { doctorPorts, noDaemon, runningDaemon, sampleConfig } from '../../support/doctor-ports.ts';
import { sampleStatusView } from '../../support/sample-views.ts';

const ports = doctorPorts();
const { config: path } = ports.paths;
const trouble: Problem = { file: path, line: 3, column: 5, path: 'routes', message: 'is no list' };
const good: Loaded = { ok: true, config: sampleConfig(), warnings: [] };

describe('checkConfiguration()', () => {
  test('names every problem with its place', () => {
    const check = checkConfiguration({ ok: false, problems: [trouble] }, noDaemon, ports);

    assert.equal(check.state, 'problem');
    assert.equal(check.summary, `${path}:3:5 routes: is no list`);
    assert.match(check.hint ?? '', /hookbell config check/);
  });

  test('warns of what is probably not meant', () => {
    const check = checkConfiguration({ ...good, warnings: [trouble] }, noDaemon, ports);

    assert.equal(check.state, 'warning');
  });

  test('reports a file that the running daemon did not take', () => {
    const { config } = sampleStatusView();
    const refused = { ...config, path, ok: false, problems: ['a secret is missing'] };

    const check = checkConfiguration(good, runningDaemon({ config: refused }), ports);

    assert.equal(check.state, 'problem');
    assert.equal(check.summary, 'the daemon rejected it: a secret is missing');
  });

  test('warns when daemon and command line read different files', () => {
    const { config } = sampleStatusView();

    const check = checkConfiguration(
      good,
      runningDaemon({ config: { ...config, path: '/other.yaml' } }),
      ports,
    );

    assert.equal(check.state, 'warning');
    assert.match(check.summary, /the daemon reads \/other\.yaml, this command \/home\/dev/);
  });

  test('is content with a good file, and with none', () => {
    const none: Loaded = { ...good, config: sampleConfig({ exists: false }) };

    assert.equal(checkConfiguration(good, noDaemon, ports).summary, path);
    assert.match(
      checkConfiguration(none, noDaemon, ports).summary,
      /the built-in one is in effect/,
    );
  });
});
