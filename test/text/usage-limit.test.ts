import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { usageLimitIn } from '../../src/text/usage-limit.ts';

/** A Thursday, 14:05 in Berlin (UTC+2). */
const AT = Date.UTC(2026, 6, 9, 12, 5);
const HOME = 'Europe/Berlin';

function read(words: string, zone: string | null = HOME): readonly string[] | null {
  const found = usageLimitIn(words, AT, zone);
  return (
    found && [
      found.what,
      found.until === null ? 'unknown' : new Date(found.until).toISOString().slice(0, 16),
    ]
  );
}

describe('usageLimitIn()', () => {
  test('reads what was hit and until when, in the words of agents and services', () => {
    const expected: Readonly<Record<string, readonly [string, string]>> = {
      // Claude Code (2.1.332 and earlier versions)
      "You've hit your session limit · resets 3:45pm (Europe/Berlin)": [
        'session limit',
        '2026-07-09T13:45',
      ],
      "You've hit your weekly limit · resets Jul 13, 9am (America/Los_Angeles)": [
        'weekly limit',
        '2026-07-13T16:00',
      ],
      "You've hit your session limit · resets 12:50am (America/Los_Angeles) · progress saved": [
        'session limit',
        '2026-07-10T07:50',
      ],
      "You've hit your Opus limit · resets Jan 3, 2027, 8:30pm (Asia/Kolkata)": [
        'opus limit',
        '2027-01-03T15:00',
      ],
      'Claude usage limit reached. Your limit will reset at 7pm (Etc/GMT+5).': [
        'usage limit',
        '2026-07-10T00:00',
      ],
      'Claude AI usage limit reached|1783605600': ['usage limit', '2026-07-09T14:00'],
      "You're out of extra usage · resets 3pm (UTC)": ['usage limit', '2026-07-09T15:00'],
      "You're out of usage credits · resets 3pm (UTC)": ['usage credits', '2026-07-09T15:00'],
      // Codex
      "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11 minutes.":
        ['usage limit', '2026-07-15T10:16'],
      "You've hit your usage limit. Upgrade to Plus to continue using Codex (https://chatgpt.com/explore/plus), or try again at Jul 11th, 2026 8:19 PM.":
        ['usage limit', '2026-07-11T18:19'],
      "You've hit your usage limit. To get more access now, send a request to your admin or try again at 8:19 PM.":
        ['usage limit', '2026-07-09T18:19'],
      // Gemini CLI
      'Usage limit reached for gemini-3-flash-preview. Access resets at 10:57 PM GMT-3.': [
        'usage limit',
        '2026-07-10T01:57',
      ],
      'You have exhausted your capacity on this model. Your quota will reset after 2h10m33s.': [
        'capacity',
        '2026-07-09T14:15',
      ],
      'You have exhausted your daily quota on this model.': ['daily quota', 'unknown'],
      // Copilot CLI
      "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 51 hours. Please review our Terms of Service.":
        ['rate limit', '2026-07-11T15:05'],
      "Sorry, you've exceeded your 5 hour session limits. Please retry after 2733 seconds. (user_global_rate_limited:pro)":
        ['5 hour session limits', '2026-07-09T12:50'],
      "Sorry, you've exceeded your weekly rate limit. Please review our Terms of Service.": [
        'weekly rate limit',
        'unknown',
      ],
      // Services behind OpenCode and Qwen Code
      'You exceeded your current quota, please check your plan and billing details.': [
        'quota',
        'unknown',
      ],
      'Monthly limit exceeded. Resets at 2026-08-01T00:00:00Z': [
        'monthly limit',
        '2026-08-01T00:00',
      ],
    };
    for (const [words, [what, until]] of Object.entries(expected))
      assert.deepEqual(read(words), [what, until], words);
  });

  test('names a limit in words of its own only', () => {
    assert.deepEqual(read("You've hit your secret plans limit"), ['usage limit', 'unknown']);
    assert.deepEqual(read('You have exhausted your \u001b[31m daily quota'), null);
  });

  test('does not guess a time', () => {
    const hit = "You've hit your usage limit. ";
    const unknown = [
      'Upgrade your plan to continue, or try again at 10 de jul. de 2026, 11:52.',
      'Try again later.',
      'It resets soon',
      'Resets 3pm tomorrow',
      'Resets Monday 3pm',
      'Resets 3pm (PST)',
      'Resets 3pm (Europe/Atlantis)',
      'Resets 25:00 (Europe/Berlin)',
      'Resets 13pm (Europe/Berlin)',
      'Resets Feb 30, 2027, 3pm (Europe/Berlin)',
      'Resets Dec 24, 3pm (Europe/Berlin)',
      'Resets at 3',
      'Try again at 10/07/2026 11:52',
      // The minute in which it was written, or tomorrow.
      'Resets 2:05pm (Europe/Berlin)',
      // Which of them counts?
      'Resets 3pm (UTC) · your weekly limit resets Jul 13, 9am (UTC)',
      'Try again in a moment or reset after it',
      'usage limit reached|1',
      'Resets at 2026-07-01T00:00:00Z',
    ];
    for (const words of unknown)
      assert.deepEqual(read(hit + words), ['usage limit', 'unknown'], words);
    assert.deepEqual(read(`${hit}Try again at 8:19 PM.`, null), ['usage limit', 'unknown']);
  });

  test('is none for other failures, and for a refusal of a moment', () => {
    const others = [
      'API Error: Rate limit reached',
      '429 Too Many Requests. Please retry after 20 seconds',
      'Rate limited: try again in 30 seconds',
      'Context limit reached',
      'You have exceeded your context window limit',
      "You've reached your maximum output token limit",
      'Overloaded',
      '',
    ];
    for (const words of others) assert.equal(read(words), null, words);
  });

  test('reads any text without an error', () => {
    const words = fc.array(
      fc.constantFrom(
        'limit reached',
        'hit your limit',
        'resets',
        'at',
        'in',
        '3pm',
        '(',
        'GMT',
        '+99',
        '99:99',
        'Jul',
        '31',
        '|1760000400',
        '\u0000',
        '٣',
        ' ',
        '5 days',
        '999999 days',
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          words.map((list) => list.join(' ')),
        ),
        (text) => {
          const found = usageLimitIn(text, AT, HOME);
          assert.ok(found === null || found.until === null || found.until > AT);
        },
      ),
    );
  });
});
