import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { traitsOf } from '../../src/agents/registry.ts';
import {
  holdFor,
  mayHold,
  observe,
  release,
  acceptAnswer,
  whyClosed,
} from '../../src/alerts/accept-answer.ts';
import type { AgentName, HookEvent } from '../../src/core/hook-event.ts';
import type { OfferedAnswer, Question } from '../../src/core/question.ts';

const NOW = 1_700_000_000_000;

const question: Question = {
  id: 'q',
  sessionKey: 'claude:s1',
  agent: 'claude',
  agentId: null,
  tool: 'Bash',
  requestHash: 'request',
  callHash: 'call',
  hold: 'open',
  choices: ['allow', 'deny'],
  state: 'held',
  openedAt: NOW,
  deadline: NOW + 60_000,
  answer: null,
  closedAt: null,
  reason: null,
};

const printed = { repeatsInput: true, reportsAnswers: false, hasPrinted: true };

function offered(fields: Partial<OfferedAnswer> = {}): OfferedAnswer {
  return {
    choice: 'allow',
    by: 'ada',
    via: 'command line',
    requestHash: 'request',
    words: null,
    answers: {},
    ...fields,
  };
}

describe('acceptAnswer()', () => {
  test('records who decided what, where and when', () => {
    const settled = acceptAnswer(question, offered(), NOW + 5);

    assert.ok(settled.ok);
    assert.deepEqual(settled.question, {
      ...question,
      state: 'answered',
      answer: { choice: 'allow', by: 'ada', via: 'command line', at: NOW + 5 },
    });
  });

  const refused: Readonly<Record<string, [Question, OfferedAnswer, number, RegExp]>> = {
    'an answer to another request': [
      question,
      offered({ requestHash: 'other' }),
      NOW,
      /asks for something else now/,
    ],
    'a choice that was not offered': [
      question,
      offered({ choice: 'allow-session' }),
      NOW,
      /does not offer to allow it for the session/,
    ],
    'an allow where not all was shown': [
      { ...question, choices: ['deny'] },
      offered(),
      NOW,
      /the request cannot be shown in full/,
    ],
    'an answer after the deadline': [
      question,
      offered(),
      NOW + 60_000,
      /The time to answer it is over/,
    ],
    'an answer after the terminal': [
      { ...question, state: 'released', closedAt: NOW, reason: 'Answered in the terminal' },
      offered(),
      NOW + 1,
      /^Answered in the terminal at \d\d:\d\d$/,
    ],
  };
  for (const [name, [one, answer, at, reason]] of Object.entries(refused)) {
    test(`refuses ${name}`, () => {
      const settled = acceptAnswer(one, answer, at);

      assert.ok(!settled.ok);
      assert.match(settled.reason, reason);
    });
  }

  test('of any order of answers and events, at most one decides, and nothing leads back (10,000 races)', () => {
    const step = fc.oneof(
      fc.record({
        type: fc.constant('answer' as const),
        choice: fc.constantFrom('allow' as const, 'deny' as const, 'answer' as const),
        requestHash: fc.constantFrom('request', 'other'),
      }),
      fc.record({
        type: fc.constant('event' as const),
        kind: fc.constantFrom('tool.done' as const, 'turn.done' as const, 'activity' as const),
        hash: fc.constantFrom('call', 'other'),
        agentId: fc.constantFrom(null, 'sub'),
      }),
      fc.record({ type: fc.constant('release' as const) }),
    );
    const order = { held: 0, answered: 1, confirmed: 2, overtaken: 2, released: 2 };
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let now: Question = question;
        let accepted = 0;
        for (const [index, one] of steps.entries()) {
          const before = now;
          const at = NOW + index;
          if (one.type === 'answer') {
            const settled = acceptAnswer(now, offered(one), at);
            if (settled.ok) {
              accepted += 1;
              assert.equal(one.requestHash, 'request');
              assert.ok(question.choices.includes(one.choice));
              now = settled.question;
            }
          } else if (one.type === 'release') {
            now = release(now, 'x', at);
          } else {
            const call = { agentId: one.agentId, tool: 'Bash', hash: one.hash };
            const event = { sessionKey: 'claude:s1', kind: one.kind, at, call };
            now = observe(now, event, { ...printed, hasPrinted: index % 2 === 0 }) ?? now;
          }
          assert.ok(order[now.state] >= order[before.state]);
          if (before.answer !== null) assert.deepEqual(now.answer, before.answer);
        }
        assert.ok(accepted <= 1);
        assert.equal(now.answer !== null, accepted === 1);
      }),
      { numRuns: 10_000 },
    );
  });
});

describe('observe()', () => {
  type Seen = Pick<HookEvent, 'sessionKey' | 'kind' | 'at' | 'call' | 'toolMs' | 'tookAnswer'>;
  const ran: Seen = {
    sessionKey: 'claude:s1',
    kind: 'tool.done',
    at: NOW + 10,
    call: { agentId: null, tool: 'Bash', hash: 'call' },
  };
  const stop: Seen = { sessionKey: 'claude:s1', kind: 'turn.done', at: NOW + 10 };
  const ALLOW = { choice: 'allow', by: 'ada', via: 'command line', at: NOW + 5 } as const;
  const allowed: Question = { ...question, state: 'answered', answer: ALLOW };
  const denied: Question = {
    ...question,
    state: 'answered',
    answer: { choice: 'deny', by: 'ada', via: 'command line', at: NOW + 5 },
  };
  const look = (one: Question, event: Seen, known: Partial<typeof printed> = {}) =>
    observe(one, event, { ...printed, ...known })?.state ?? null;

  test('a call that ran without an answer from elsewhere was allowed in the terminal', () => {
    const seen = observe(question, ran, printed);

    assert.equal(seen?.state, 'released');
    assert.equal(seen.reason, 'Answered in the terminal');
  });

  test('the end of the turn releases what its conversation asked, and no subagent', () => {
    assert.equal(look(question, stop), 'released');
    assert.equal(look({ ...question, agentId: 'sub' }, stop), null);
    const done = { ...stop, kind: 'subagent.done' as const };
    assert.equal(
      look(question, { ...done, call: { agentId: 'sub', tool: null, hash: null } }),
      null,
    );
    assert.equal(
      look(
        { ...question, agentId: 'sub' },
        { ...done, call: { agentId: 'sub', tool: null, hash: null } },
      ),
      'released',
    );
  });

  test('other calls, sessions and subagents, and earlier events, are ignored', () => {
    const call = { agentId: null, tool: 'Bash', hash: 'call' };
    assert.equal(look(question, { ...ran, call: { ...call, hash: 'other' } }), null);
    assert.equal(look(question, { ...ran, call: { ...call, agentId: 'sub' } }), null);
    assert.equal(look(question, { ...ran, sessionKey: 'claude:s2' }), null);
    assert.equal(look(question, { ...ran, at: NOW - 1 }), null);
    assert.equal(look(question, { ...stop, kind: 'activity' }), null);
  });

  test('a tool whose answer changes its input is recognised by its name', () => {
    const plan = { ...question, tool: 'ExitPlanMode' };
    const event = { ...ran, call: { agentId: null, tool: 'ExitPlanMode', hash: 'other' } };

    assert.equal(look(plan, event, { repeatsInput: false }), 'released');
    assert.equal(look(plan, event), null);
  });

  test('an allow that came while the call already ran lost to the terminal', () => {
    const late = { ...allowed, answer: { ...ALLOW, at: NOW + 300 } };
    const slow: Seen = { ...ran, at: NOW + 1_000, toolMs: 800 };

    const seen = observe(late, slow, printed);

    assert.equal(seen?.state, 'overtaken');
    assert.equal(seen.closedAt, NOW + 200);
    assert.match(whyClosed(seen), /^Answered in the terminal at \d\d:\d\d$/);
    assert.equal(look(late, { ...slow, toolMs: 700 }), 'confirmed');
    assert.equal(look(late, ran), 'overtaken');
  });

  test('OpenCode says whether it took the answer; a reply from its terminal releases the question', () => {
    const call = { agentId: null, tool: null, hash: question.callHash };
    const replied: Seen = { ...ran, call };

    assert.equal(look(question, replied), 'released');
    assert.equal(look(question, { ...replied, call: { ...call, hash: 'other' } }), null);
    assert.equal(look(denied, { ...replied, tookAnswer: true }), 'confirmed');
    assert.equal(look(allowed, { ...replied, tookAnswer: false }), 'overtaken');
    // Its prompt was open still, and OpenCode refused the reply.
    const open: Seen = { ...replied, kind: 'needs.permission', tookAnswer: false };
    const refused = observe(allowed, open, printed);
    assert.match(whyClosed(refused ?? allowed), /^The agent did not accept the answer at/);
  });

  test('an answer of OpenCode is confirmed only by its report, whatever the hook printed', () => {
    const reports = { reportsAnswers: true };
    const call = { agentId: null, tool: null, hash: question.callHash };

    for (const one of [allowed, denied]) {
      assert.equal(look(one, { ...ran, call }, reports), 'overtaken');
      assert.equal(look(one, stop, reports), null);
      for (const kind of ['prompt', 'session.end'] as const) {
        const seen = observe(one, { ...stop, kind }, { ...printed, ...reports });
        assert.deepEqual([seen?.state, seen?.closedAt], ['answered', NOW + 10]);
      }
    }
  });

  test('an answer that the hook did not print is not confirmed, except by the call that it allowed', () => {
    const unprinted = { hasPrinted: false };
    const byInput = { hasPrinted: false, repeatsInput: false };
    const chosen = (choice: 'answer' | 'allow-session'): Question => ({
      ...allowed,
      answer: { ...ALLOW, choice },
    });

    const seen = observe(denied, stop, { ...printed, hasPrinted: false });

    assert.deepEqual([seen?.state, seen?.closedAt], ['answered', NOW + 10]);
    assert.match(
      whyClosed(seen ?? denied),
      /^Denied at \d\d:\d\d by ada \(command line\), not confirmed$/,
    );
    assert.equal(look(allowed, ran, unprinted), 'confirmed');
    assert.equal(look(denied, ran, unprinted), 'overtaken');
    // The terminal may have given other answers, approved another plan, or allowed it only once.
    assert.equal(look(chosen('answer'), ran, byInput), 'answered');
    assert.equal(look(allowed, ran, byInput), 'answered');
    assert.equal(look(chosen('allow-session'), ran, unprinted), 'answered');
    assert.equal(look(chosen('allow-session'), ran), 'confirmed');
  });

  test('an answer is confirmed only by what it leads to', () => {
    assert.equal(look(allowed, ran), 'confirmed');
    assert.equal(look(allowed, stop), 'overtaken');
    assert.equal(look(denied, stop), 'confirmed');
    assert.equal(look(denied, ran), 'overtaken');
    assert.match(whyClosed(allowed), /^Allowed at \d\d:\d\d by ada \(command line\)$/);
  });
});

describe('the hold policy', () => {
  const usual = {
    agents: { claude: 'open', opencode: 'open', codex: 'away', qwen: 'away' },
    subagents: { claude: 'away' },
  } as const;

  test('holds where the prompt is shown meanwhile, and elsewhere only while the person is away', () => {
    const permission = 'needs.permission' as const;
    const hold = (agent: AgentName, subagent = false, kind: HookEvent['kind'] = permission) =>
      holdFor({ agent, subagent, kind, traits: traitsOf(agent).answers }, usual);
    assert.equal(hold('claude'), 'open');
    assert.equal(hold('claude', true), 'away');
    assert.equal(hold('opencode', true, 'needs.input'), 'open');
    assert.equal(hold('codex'), 'away');
    assert.equal(hold('qwen'), 'away');
    assert.equal(hold('qwen', false, 'needs.input'), null);
    for (const agent of ['gemini', 'copilot', 'cursor', 'droid', 'unknown', 'service'] as const) {
      assert.equal(hold(agent), null);
    }
  });

  test('holds less if the configuration says so', () => {
    const policy = {
      agents: { claude: 'away', opencode: null, codex: null, qwen: 'away' },
      subagents: { claude: null },
    } as const;
    const hold = (agent: AgentName, subagent = false) =>
      holdFor(
        { agent, subagent, kind: 'needs.permission', traits: traitsOf(agent).answers },
        policy,
      );
    assert.equal(hold('claude'), 'away');
    assert.equal(hold('claude', true), null);
    assert.equal(hold('codex'), null);
    assert.equal(hold('qwen'), 'away');
  });

  test('never blocks a prompt while presence is unknown', () => {
    assert.equal(mayHold('away', null), false);
    assert.equal(mayHold('away', true), false);
    assert.equal(mayHold('away', false), true);
    assert.equal(mayHold('open', null), true);
  });
});
