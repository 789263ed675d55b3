import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

import type { CommandContext } from '../../src/cli/context.ts';
import { createOutput } from '../../src/cli/output.ts';
import { replyHere } from '../../src/cli/reply-here.ts';
import type { ControlAnswers } from '../../src/control/contract.ts';
import { WORDS_PROOF_MS } from '../../src/core/question.ts';
import { sampleSessionView } from '../support/sample-views.ts';

test('replyHere() waits for the daemon as long as the session may take, and says what is not confirmed', async () => {
  const answers: Partial<ControlAnswers> = {
    'POST /v1/caller': { id: 'c', path: '/dev/null' },
    'POST /v1/words': { state: 'sent', reason: null },
  };
  let patienceMs = 0;
  const ask: CommandContext['ask'] = async (name, call) => {
    const answer = answers[name];
    assert.ok(answer !== undefined, name);
    if (name === 'POST /v1/words') patienceMs = call?.timeoutMs ?? 0;
    return answer;
  };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = createOutput({ stdout, stderr, quiet: false, verbose: false });
  const session = { ...sampleSessionView(), agent: 'claude' } as const;

  await replyHere({ ask, output, json: false, env: {} }, session, 's', 'Go on', {});

  stderr.end();
  assert.match(await text(stderr), /^Sent, not confirmed: the agent has not gone on with it yet/);
  assert.ok(patienceMs > WORDS_PROOF_MS, `${patienceMs} ms`);
});
