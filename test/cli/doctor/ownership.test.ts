import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkOwnership } from '../../../src/cli/doctor/files.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';

test('doctor: program, hook, launch script and configuration have to be yours (D10)', async () => {
  const looked: string[] = [];
  const ports = doctorPorts({
    whyForeign: (path) => {
      looked.push(path);
      return Promise.resolve(null);
    },
  });

  assert.equal((await checkOwnership(ports)).state, 'ok');
  const { program, launch, config } = ports.paths;
  for (const path of [program, `${program}/hooks/hookbell-hook`, launch, config]) {
    assert.ok(looked.includes(path), path);
  }
});

test('doctor: names what another user could change, why, and what to run (D10)', async () => {
  const { config } = doctorPorts().paths;
  const check = await checkOwnership(
    doctorPorts({
      whyForeign: (path) =>
        Promise.resolve(path === config ? `others may write to "${path}" (mode 0666)` : null),
    }),
  );

  assert.equal(check.state, 'problem');
  assert.match(check.summary, /config\.yaml is not yours alone: others may write .*\(mode 0666\)$/);
  assert.match(check.hint ?? '', /chmod go-w.*config\.yaml/);
});
