import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';

import { codeHash, makeCode } from '../../src/hub/code.ts';

test('makeCode() writes 80 bits as four groups, and codeHash() reads them as people type them', () => {
  assert.equal(
    makeCode(() => new Uint8Array(10)),
    '0000-0000-0000-0000',
  );
  assert.equal(
    makeCode(() => new Uint8Array(10).fill(255)),
    'ZZZZ-ZZZZ-ZZZZ-ZZZZ',
  );
  const codes = new Set(Array.from({ length: 1_000 }, () => makeCode(randomBytes)));
  assert.equal(codes.size, 1_000);
  for (const code of codes)
    assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);

  const hash = codeHash('10AB-CDEF-GHJK-MNPQ');
  for (const typed of [
    '10abcdefghjkmnpq',
    ' 1Oab cdef ghjk mnpq ',
    'iOAB-CDEF-GHJK-MNPQ',
    'loab-cdef-ghjk-mnpq',
  ]) {
    assert.equal(codeHash(typed), hash, typed);
  }
  assert.notEqual(codeHash('10AB-CDEF-GHJK-MNPR'), hash);
});
