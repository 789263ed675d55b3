import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { ConfigError, FailedError } from '../../src/platform/errors.ts';
import { OtherReplyError, postedOf, UnknownReplyError } from '../../src/reply/send-reply.ts';
import { AmbiguousWriteError, ApiError, RateLimitError } from '../../src/vendor/client/index.ts';

const facts = { route: 'messages.add', method: 'POST', path: '/messages', attempts: 1 };

describe('postedOf() distinguishes a reply that was not sent from one that may have been', () => {
  for (const { name, error, posted } of [
    {
      name: 'a write whose outcome cannot be determined',
      error: new AmbiguousWriteError('the connection broke\u001b[31m', {
        ...facts,
        outcome: 'unknown',
      }),
      posted: { type: 'unknown', reason: 'Cannot POST "/messages": the connection broke' },
    },
    {
      name: 'a write that a later check did not find',
      error: new AmbiguousWriteError('the connection broke', {
        ...facts,
        outcome: 'not-delivered',
        hint: 'Send it again.',
      }),
      posted: {
        type: 'refused',
        reason: 'Cannot POST "/messages": the connection broke Send it again.',
      },
    },
    {
      name: 'a refusal of the service',
      error: new ApiError('the session is archived', facts),
      posted: { type: 'refused', reason: 'Cannot POST "/messages": the session is archived' },
    },
    {
      name: 'too many requests, with the time to wait',
      error: new RateLimitError('too many requests.', { ...facts, retryAfterMs: 65_000 }),
      posted: {
        type: 'refused',
        reason: 'Cannot POST "/messages": too many requests. Try again in 1 min 5 s.',
      },
    },
    {
      name: 'too many requests, for an unknown time',
      error: new RateLimitError('too many requests.', { ...facts, retryAfterMs: null }),
      posted: {
        type: 'refused',
        reason: 'Cannot POST "/messages": too many requests. Try again in a few minutes.',
      },
    },
    {
      name: 'a fault, without its text',
      error: new TypeError('secret inside'),
      posted: { type: 'unknown', reason: 'Unexpected error; see "hookbell logs"' },
    },
    {
      name: 'a reply of which only the record is left',
      error: new UnknownReplyError('The outcome is not known'),
      posted: { type: 'unknown', reason: 'The outcome is not known' },
    },
    {
      name: 'another text that was sent before',
      error: new OtherReplyError('Another text was sent'),
      posted: { type: 'answered', reason: 'Another text was sent' },
    },
    {
      name: 'a process that is sending it',
      error: new FailedError('Another process sends it'),
      posted: { type: 'busy', reason: 'Another process sends it' },
    },
    {
      name: 'a configuration that cannot be used',
      error: new ConfigError('The key is missing'),
      posted: { type: 'refused', reason: 'The key is missing' },
    },
  ]) {
    test(name, () => {
      assert.deepEqual(postedOf(error), posted);
    });
  }
});
