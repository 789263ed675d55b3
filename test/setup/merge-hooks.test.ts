import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { z } from 'zod';

import { shellWord } from '../../src/text/escape.ts';
import type { Registration } from '../../src/core/agent/registration.ts';
import {
  jsonHooks,
  type Merged,
  mergeAnswers,
  mergeHooks,
  registeredHooks,
  removeHooks,
} from '../../src/setup/merge-hooks.ts';

const HOOK = '/home/dev/.local/share/hookbell/hooks/hookbell-hook';
const COMMAND = `[ ! -x ${HOOK} ] || exec ${HOOK}`;
const registration: Registration = {
  evidence: ['.claude'],
  programs: [],
  files: [{ path: '.claude/settings.json', shape: 'wrapped' }],
  events: [
    { name: 'Stop', timeoutSeconds: 5 },
    { name: 'PostToolUse', timeoutSeconds: 5 },
  ],
  afterwards: null,
};
const own = { hooks: [{ type: 'command', command: COMMAND, timeout: 5 }] };

function textOf(merged: Merged): string {
  assert.ok(merged.ok);
  return merged.text;
}

function documentOf(merged: Merged): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(textOf(merged)));
}

/** Settings in JSON. */
function json(settings: unknown): string {
  return JSON.stringify(settings);
}

describe('mergeHooks()', () => {
  test('registers each event with a command, an absolute path and a timeout in seconds (acceptance 024-027)', () => {
    const merged = mergeHooks('{}', 'wrapped', registration, HOOK);

    assert.deepEqual(documentOf(merged), { hooks: { Stop: [own], PostToolUse: [own] } });
  });

  test('writes a bare map where the file is one', () => {
    const merged = mergeHooks('{}', 'bare', registration, HOOK);

    assert.deepEqual(documentOf(merged), { Stop: [own], PostToolUse: [own] });
  });

  test('refuses a bare map whose events stand a level too low, where no agent reads them, and still takes ours out', () => {
    const wrapped = json({ hooks: { Stop: [own] } });

    const merged = mergeHooks(wrapped, 'bare', registration, HOOK);

    assert.ok(!merged.ok);
    assert.match(merged.problem, /are under "hooks"/);
    assert.equal(textOf(removeHooks(json({ Stop: [own] }), 'bare')), '{}');
  });

  test('keeps other keys, events and entries, and their order (acceptance 029)', () => {
    const other = { matcher: 'Bash', hooks: [{ type: 'command', command: './mine.sh' }], extra: 1 };
    const settings = { model: 'x', hooks: { PreToolUse: [other], Stop: [other] }, theme: 'dark' };

    const document = documentOf(mergeHooks(json(settings), 'wrapped', registration, HOOK));

    assert.deepEqual(Object.keys(document), ['model', 'hooks', 'theme']);
    assert.deepEqual(document['hooks'], {
      PreToolUse: [other],
      Stop: [other, own],
      PostToolUse: [own],
    });
  });

  test('changes nothing the second time', () => {
    const once = textOf(mergeHooks('{}', 'wrapped', registration, HOOK));

    const twice = mergeHooks(once, 'wrapped', registration, HOOK);

    assert.ok(twice.ok && !twice.changed);
  });

  test('keeps the matcher and the timeout the user set on our entry (acceptance 028)', () => {
    const mine = { matcher: 'Bash', hooks: [{ type: 'command', command: COMMAND, timeout: 2 }] };
    const settings = { hooks: { Stop: [own], PostToolUse: [mine] } };

    const merged = mergeHooks(json(settings), 'wrapped', registration, HOOK);

    assert.ok(merged.ok && !merged.changed);
  });

  test('moves an entry of an earlier place to the new one instead of adding a second', () => {
    const old = {
      hooks: [{ type: 'command', command: "'/old place/hookbell-hook' --agent claude" }],
    };

    const merged = mergeHooks(json({ hooks: { Stop: [old] } }), 'wrapped', registration, HOOK);

    assert.deepEqual(registeredHooks(textOf(merged), 'wrapped'), [
      { event: 'Stop', command: COMMAND, timeout: null },
      { event: 'PostToolUse', command: COMMAND, timeout: 5 },
    ]);
  });

  test('adds an entry where only a list that the agent passes over has one', () => {
    const twice = `{"hooks": {"Stop": ${json([own])}, "Stop": [], "PostToolUse": ${json([own])}}}`;

    const document = documentOf(mergeHooks(twice, 'wrapped', registration, HOOK));

    assert.deepEqual(document['hooks'], { Stop: [own], PostToolUse: [own] });
  });

  test('leaves one entry of several without a matcher, which would all run', () => {
    const older = {
      hooks: [{ type: 'command', command: '/usr/lib/hookbell/hooks/hookbell-hook' }],
    };
    const mine = { matcher: 'Bash', hooks: [{ type: 'command', command: COMMAND }] };
    const settings = { hooks: { Stop: [older, own, mine], PostToolUse: [own] } };

    const document = documentOf(mergeHooks(json(settings), 'wrapped', registration, HOOK));

    const moved = { hooks: [{ type: 'command', command: COMMAND }] };
    assert.deepEqual(document['hooks'], { Stop: [moved, mine], PostToolUse: [own] });
  });

  test('refuses settings whose hooks have another shape', () => {
    for (const settings of [{ hooks: [] }, { hooks: { Stop: 'x' } }, { hooks: null }]) {
      const merged = mergeHooks(json(settings), 'wrapped', registration, HOOK);

      assert.equal(merged.ok, settings.hooks === null);
    }
  });

  test('fills the list of an event that is null', () => {
    const document = documentOf(
      mergeHooks(json({ hooks: { Stop: null } }), 'wrapped', registration, HOOK),
    );

    assert.deepEqual(document['hooks'], { Stop: [own], PostToolUse: [own] });
  });
});

describe('removeHooks()', () => {
  test('takes our entries out and leaves what was there before us', () => {
    const other = { hooks: [{ type: 'command', command: './mine.sh' }] };
    const before = { model: 'x', hooks: { Stop: [other], PreToolUse: [] } };

    const merged = mergeHooks(json(before), 'wrapped', registration, HOOK);

    assert.equal(textOf(removeHooks(textOf(merged), 'wrapped')), json(before));
  });

  test('takes our handler out of an entry it shares with another one', () => {
    const other = { type: 'command', command: './mine.sh' };
    const shared = { matcher: '*', hooks: [other, ...own.hooks] };

    const document = documentOf(removeHooks(json({ hooks: { Stop: [shared] } }), 'wrapped'));

    assert.deepEqual(document, { hooks: { Stop: [{ matcher: '*', hooks: [other] }] } });
  });

  test('leaves a command alone that only mentions our name', () => {
    const settings = { hooks: { Stop: [{ hooks: [{ command: 'echo my-hookbell-hook-copy' }] }] } };

    const removed = removeHooks(json(settings), 'wrapped');

    assert.ok(removed.ok && !removed.changed);
  });
});

test('shellWord() leaves a plain path bare and quotes what a shell would read', () => {
  assert.equal(shellWord('/home/dev/hookbell-hook'), '/home/dev/hookbell-hook');
  assert.equal(shellWord("/home/d'ev $(id)/x"), String.raw`'/home/d'\''ev $(id)/x'`);
});

describe('jsonHooks().list()', () => {
  for (const [name, text, problem] of [
    ['half a file', '{ "hooks": ', /^it is not valid JSON \(/],
    ['a list', '[]', /^it is not a JSON object$/],
    ['events that stand a level too low', json({ hooks: { Stop: [own] } }), /are under "hooks"/],
  ] as const) {
    test(`gives the reason why ${name} cannot be read`, () => {
      const listed = jsonHooks('bare').list(text);

      assert.match(listed.ok ? 'listed' : listed.problem, problem);
    });
  }

  test('finds nothing in an empty file', () => {
    assert.deepEqual(jsonHooks('wrapped').list(' \n'), { ok: true, hooks: [], asks: [] });
  });

  test('shows by hand what would be registered', () => {
    const text = jsonHooks('wrapped').byHand(registration, HOOK);

    assert.deepEqual(JSON.parse(text ?? ''), { hooks: { Stop: [own], PostToolUse: [own] } });
  });
});

describe('mergeAnswers()', () => {
  const ASK = "/home/d'ev/hooks/hookbell-ask";
  const wanted = { hook: ASK, words: undefined };
  const asked: Registration = {
    ...registration,
    events: [{ name: 'PermissionRequest', timeoutSeconds: 5 }],
    answers: { name: 'PermissionRequest', timeout: 86_400 },
    words: ['--state', '/s'],
  };
  const silent = textOf(mergeHooks('{}', 'wrapped', asked, HOOK));

  test('registers the waiting hook beside the silent one, so that no shell stays with it', () => {
    const merged = mergeAnswers(silent, 'wrapped', asked, wanted);

    const command = `[ ! -x ${shellWord(ASK)} ] || exec ${shellWord(ASK)} --state /s`;
    assert.deepEqual(documentOf(merged), {
      hooks: {
        PermissionRequest: [
          { hooks: [{ type: 'command', command: `${COMMAND} --state /s`, timeout: 5 }] },
          { hooks: [{ type: 'command', command, timeout: 86_400 }] },
        ],
      },
    });
  });

  test('changes nothing the second time, and the silent hook neither', () => {
    const once = textOf(mergeAnswers(silent, 'wrapped', asked, wanted));

    assert.equal(textOf(mergeAnswers(once, 'wrapped', asked, wanted)), once);
    assert.equal(textOf(mergeHooks(once, 'wrapped', asked, HOOK)), once);
  });

  test('is not what doctor lists as the hook', () => {
    const both = textOf(mergeAnswers(silent, 'wrapped', asked, wanted));

    assert.equal(registeredHooks(both, 'wrapped').length, 1);
  });

  test('takes out only the waiting hook, or both on uninstalling', () => {
    const both = textOf(mergeAnswers(silent, 'wrapped', asked, wanted));

    assert.equal(textOf(mergeAnswers(both, 'wrapped', asked, 'remove')), silent);
    assert.equal(textOf(removeHooks(both, 'wrapped')), '{}');
  });

  test('waits after a turn only where words are wanted, and is taken out there as well', () => {
    const resting = { ...asked, rests: { name: 'Stop', timeout: 86_400 } };
    const without = textOf(mergeAnswers(silent, 'wrapped', resting, wanted));

    const both = textOf(mergeAnswers(without, 'wrapped', resting, { ...wanted, words: true }));

    assert.equal(without.includes('"Stop"'), false);
    assert.match(both, /"Stop": \[[^]*hookbell-ask[^]*"timeout": 86400/);
    assert.equal(textOf(mergeAnswers(both, 'wrapped', resting, wanted)), both);
    assert.equal(textOf(mergeAnswers(both, 'wrapped', resting, 'remove')), silent);
  });

  test('no longer waits after a turn where words are refused, and still for answers', () => {
    const resting = { ...asked, rests: { name: 'Stop', timeout: 86_400 } };
    const only = textOf(mergeAnswers(silent, 'wrapped', resting, wanted));
    const both = textOf(mergeAnswers(silent, 'wrapped', resting, { ...wanted, words: true }));

    const refused = mergeAnswers(both, 'wrapped', resting, { ...wanted, words: false });

    assert.deepEqual(refused, { ok: true, text: only, changed: true });
    assert.deepEqual(mergeAnswers(only, 'wrapped', resting, { ...wanted, words: false }), {
      ok: true,
      text: only,
      changed: false,
    });
  });

  test('adds nothing to a file without hooks', () => {
    for (const settings of ['{}', '{"hooks": []}', '{"model": "x"}']) {
      assert.deepEqual(mergeAnswers(settings, 'wrapped', asked, wanted), {
        ok: true,
        text: settings,
        changed: false,
      });
    }
  });

  test('refuses what is not an object, whatever is wanted', () => {
    const resting = { ...asked, rests: { name: 'Stop', timeout: 86_400 } };
    for (const settings of ['{ "hooks": ', '[1]']) {
      for (const each of [wanted, { ...wanted, words: false }, 'remove'] as const) {
        const merged = mergeAnswers(settings, 'wrapped', resting, each);

        assert.match(
          merged.ok ? 'taken' : merged.problem,
          /^it is not (?:valid JSON|a JSON object)/,
        );
      }
    }
  });

  test('leaves an agent alone that takes no answers', () => {
    assert.equal(textOf(mergeAnswers(silent, 'wrapped', registration, wanted)), silent);
  });
});
