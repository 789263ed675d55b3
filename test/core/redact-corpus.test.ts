import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { tokenFormats } from '../../src/text/redact-tokens.ts';
import { redactText } from '../../src/text/redact.ts';
import { lookAlikes } from '../support/look-alikes.ts';
import { randomTexts } from '../support/random-texts.ts';
import { furtherForms, knownForms, unmarked } from '../support/secret-corpus.ts';
import type { SecretForm } from '../support/secret-corpus.ts';

const SEED = 20_261_122;
const EACH = 3;
const EACH_LOOK_ALIKE = 6;

const isForm = (entry: unknown): entry is SecretForm => typeof entry === 'function';

/** Its words stand in what replaces it. */
const isAddress = (secret: string): boolean => secret.startsWith('https://');

function passes(name: string, form: SecretForm, index: number): readonly string[] {
  const random = randomTexts(SEED + index);
  return Array.from({ length: EACH }, () => unmarked(form(random))).flatMap(({ secret, text }) => {
    const clean = redactText(text);
    // Part of a secret left is a secret left: eight of its characters in a row, or a word of it.
    const words = secret.includes(' ') ? secret.split(' ') : [];
    const runs = [...secret.matchAll(/(?=([A-Za-z0-9]{8}))/g)].map(([, run = '']) => run);
    const isLeft = [...words, ...(isAddress(secret) ? [] : runs)].some((part) =>
      clean.includes(part),
    );
    return isLeft || clean.includes(secret) ? [`${name}: ${text} -> ${clean}`] : [];
  });
}

describe('redactText() over a seeded corpus', () => {
  const known = Object.entries(knownForms).filter((entry): entry is [string, SecretForm] =>
    isForm(entry[1]),
  );
  const forms = [...known, ...Object.entries(furtherForms)];
  const passed = forms.flatMap(([name, form], index) => passes(name, form, index));
  const innocentTexts = lookAlikes.flatMap((form, index) => {
    const random = randomTexts(SEED + index);
    return [...new Set(Array.from({ length: EACH_LOOK_ALIKE }, () => form(random)))];
  });
  const marked = innocentTexts.filter((text) => redactText(text) !== text);
  const secrets = forms.length * EACH;
  const innocent = innocentTexts.length;

  test('finds every kind that the default rules of gitleaks name, or the list says why not (D13)', () => {
    const missed = known.flatMap(([name, form], index) => passes(name, form, index));

    assert.deepEqual(missed, []);
  });

  test('misses only the kinds that the page about guarantees names', () => {
    const kinds = [...new Set(passed.map((line) => line.split(':')[0]))];

    assert.deepEqual(kinds, ['hexadecimal alone', 'password in a sentence', 'password of words']);
  });

  test('the figures of the page about guarantees are those of this corpus', () => {
    assert.ok(secrets >= 300 && innocent >= 300);
    const page = readFileSync(new URL('../../../docs/guarantees.md', import.meta.url), 'utf8');

    const found = secrets - passed.length;

    assert.ok(
      page.includes(`${found} of ${secrets} secrets`) &&
        page.includes(`${marked.length} of ${innocent} look-alikes`),
      `The page must say "${found} of ${secrets} secrets" and "${marked.length} of ${innocent} look-alikes": ${marked.join('\n')}`,
    );
  });

  test('each format of a token stands in the list once, and in the order of its vendor', () => {
    const prefixes = tokenFormats.map(({ prefix, rest }) => prefix + rest);

    assert.equal(new Set(prefixes).size, prefixes.length);
  });
});
