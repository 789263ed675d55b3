import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import * as z from 'zod';

const Lockfile = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({ optionalDependencies: z.record(z.string(), z.string()).optional() }),
  ),
});

// An npm that cannot fetch the packages of other platforms leaves them out of the lockfile without a word, and from
// then on `npm ci` refuses the lockfile everywhere.
test('package-lock.json: lists the optional packages of every platform, so that npm ci accepts it (P2)', () => {
  const { packages } = Lockfile.parse(
    JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')),
  );

  const optional = Object.values(packages).flatMap((entry) =>
    Object.keys(entry.optionalDependencies ?? {}),
  );
  const missing = optional.filter((name) => packages[`node_modules/${name}`] === undefined);

  assert.ok(optional.length > 0);
  assert.deepEqual(missing, []);
});
