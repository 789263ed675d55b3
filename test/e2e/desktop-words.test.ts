import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { heldQuestions, permissionRequest, startAsking } from '../support/asking-hook.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { startSwayncDesktop, swayncPrograms } from '../support/swaync-desktop.ts';
import { needs } from '../support/system-part.ts';

const skip = needs(...swayncPrograms);

/** A daemon on a desktop of Sway, with swaync as its notification server. */
async function stage() {
  const desktop = await startSwayncDesktop();
  const home = await hookbellHome();
  await home.writeConfig(
    'channels: { desktop: { type: desktop, backend: dbus } }\nroutes: [{ match: {}, notify: [desktop] }]\n',
  );
  Object.assign(home.env, desktop.env);
  await home.start();
  return {
    desktop,
    home,
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
    },
  };
}

describe('a pop-up of swaync', { skip, timeout: 60_000 }, () => {
  test('takes typed words, with which the request is denied', async () => {
    await using place = await stage();
    using asking = startAsking(place.home);
    await heldQuestions(place.home);

    await place.desktop.reply('Use "staging", please');

    const { code, printed } = await asking.ended;
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(printed).hookSpecificOutput, {
      hookEventName: 'PermissionRequest',
      decision: { behavior: 'deny', message: 'Use "staging", please' },
    });
    await place.desktop.isGone('entry');
    await until(async () => (await place.home.ask('GET /v1/alerts')).length === 0);
  });

  test('takes a click on Allow, which is the decision that the hook prints', async () => {
    await using place = await stage();
    using asking = startAsking(place.home);
    await heldQuestions(place.home);

    await place.desktop.click('allow');

    assert.match((await asking.ended).printed, /"behavior":"allow"/);
    await place.desktop.isGone('allow');
  });

  test('takes the answer to a question in words', async () => {
    await using place = await stage();
    const tool_input = {
      questions: [{ question: 'What should I call it?', options: [], multiSelect: false }],
    };
    using asking = startAsking(place.home, {
      ...permissionRequest,
      tool_name: 'AskUserQuestion',
      tool_input,
    });
    await heldQuestions(place.home);

    await place.desktop.reply('The old name');

    const { decision } = JSON.parse((await asking.ended).printed).hookSpecificOutput;
    assert.deepEqual(decision, {
      behavior: 'allow',
      updatedInput: { ...tool_input, answers: { 'What should I call it?': 'The old name' } },
    });
  });
});
