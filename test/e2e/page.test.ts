import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { permissionRequest, startAsking } from '../support/asking-hook.ts';
import { commandLines } from '../support/command-lines.ts';
import { startBrowser } from '../support/browser.ts';
import { projectRoot, until } from '../support/hookbell-home.ts';
import { pageHome, signedIn } from '../support/page-home.ts';
import { openLink } from '../support/page-home.ts';
import { createRecorder } from '../support/recorder.ts';
import { needs } from '../support/system-part.ts';
import { typedCommand } from '../support/typed-command.ts';

const waiting = { ...permissionRequest, session_id: 'session-b', cwd: '/home/dev/api' };
const textOf = (selector: string): string =>
  `document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`;

describe(
  'the page in a real browser',
  { skip: needs('chromium', 'mkfifo', 'script'), timeout: 240_000 },
  () => {
    test('a click on Allow reaches the hook; a second page and a restarted daemon show it', async () => {
      await using place = await pageHome();
      using hook = startAsking(place);
      await until(async () => (await place.ask('GET /v1/questions')).length === 1);
      await using browser = await signedIn(place);
      await using second = await signedIn(place);

      const shown = await browser.read(textOf('#waiting .request'));
      await browser.press('#waiting .yes');
      const { printed } = await hook.ended;
      await until(async () => (await second.read(textOf('#waiting'))) === '');
      await place.killDaemon();
      await until(async () => (await second.read(textOf('#live'))) === 'Reconnecting');
      await place.start();
      using another = startAsking(place, waiting);
      await until(async () => /touch made/.test(await second.read(textOf('#waiting'))));

      assert.equal(shown, 'Bashcommand: touch madedescription: Make a file');
      assert.match(printed, /"behavior":"allow"/);
      assert.equal(another.hook.exitCode, null);
      assert.match(await second.read('document.title'), /^\(1\) Sessions/);
    });

    test('a change keeps what was typed and where the focus is, and holds clicks back', async () => {
      await using place = await pageHome();
      using hook = startAsking(place);
      await until(async () => (await place.ask('GET /v1/questions')).length === 1);
      await using browser = await signedIn(place);
      await browser.read('String(document.querySelector("#waiting .words").focus())');
      await browser.type('Use "staging"');
      using other = startAsking(place, waiting);
      await until(
        async () =>
          (await browser.read('String(document.querySelectorAll("#waiting > *").length)')) === '2',
      );
      await browser.read(
        'String(document.querySelector("#waiting .yes").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 })))',
      );
      const held = await browser.read(textOf('#notice'));

      await browser.key('Enter');
      const { printed } = await hook.ended;

      assert.match(held, /list just changed/);
      assert.match(printed, /"behavior":"deny","message":"Use \\"staging\\""/);
      assert.equal(other.hook.exitCode, null);
    });

    test('the keys lead to every control, and "a" with Enter allows', async () => {
      await using place = await pageHome();
      using hook = startAsking(place);
      await until(async () => (await place.ask('GET /v1/questions')).length === 1);
      await using browser = await signedIn(place);
      const focused = (): Promise<string> =>
        browser.read(
          '[document.activeElement.textContent, getComputedStyle(document.activeElement).outlineStyle].join()',
        );
      const seen = new Set<string>();

      for (let count = 0; count < 40; count += 1) {
        await browser.key('Tab');
        seen.add(await focused());
      }
      await browser.key('?');
      const help = await browser.read('String(document.querySelector("dialog").open)');
      await browser.key('Escape');
      await browser.key('j');
      await browser.key('a');
      const button = await focused();
      await browser.key('Enter');

      for (const name of [
        'Sessions1',
        'Timeline',
        'Sign out',
        'Allow',
        'Deny',
        'Acknowledge',
        'Mute',
      ]) {
        assert.ok(
          seen.has(`${name},solid`) || seen.has(`${name},auto`),
          `${name} in ${[...seen].join(' · ')}`,
        );
      }
      assert.equal(help, 'true');
      assert.match(button, /^Allow,/);
      assert.match((await hook.ended).printed, /"behavior":"allow"/);
    });

    test('"hookbell open" starts the browser, which may allow once it has the code from the terminal', async () => {
      await using place = await pageHome();
      await using programs = await createRecorder();
      await programs.add('xdg-open', {});
      using hook = startAsking(place);
      await until(async () => (await place.ask('GET /v1/questions')).length === 1);
      const env = {
        ...place.env,
        DISPLAY: ':7',
        PATH: `${programs.directory}:${process.env['PATH']}`,
      };
      const line = `${process.execPath} ${projectRoot}/dist/program/cli.js open`;
      await using command = typedCommand(line, env);
      const { screen } = await command.ended();
      const [run] = programs.runs('xdg-open');
      const code = /type this code on the page:\s+(\d{3} \d{3})/.exec(screen)?.[1];
      assert.ok(run !== undefined && code !== undefined, screen);

      await using browser = await openLink(`file://${run.arguments[0]}`);
      const choices =
        '[...document.querySelectorAll("#waiting [name=choice]")].map((one) => one.value).join()';
      const before = await browser.read(choices);
      await browser.read('String(document.querySelector("#code").focus())');
      await browser.type(code);
      await browser.key('Enter');
      await until(async () => (await browser.read(choices)) === 'allow,deny');
      await until(async () => (await browser.read('document.body.className')) !== 'settling');
      await browser.press('#waiting .yes');

      assert.equal(before, 'deny');
      assert.match((await hook.ended).printed, /"behavior":"allow"/);
      // A second browser with the same file is not signed in.
      await using late = await startBrowser();
      await late.open(`file://${run.arguments[0]}`);
      await until(async () => /used or has expired/.test(await late.read(textOf('h1'))));
    });

    test('an agent gets a link that cannot allow, and no link is in an argument or a file', async () => {
      await using place = await pageHome();
      using hook = startAsking(place);
      await until(async () => (await place.ask('GET /v1/questions')).length === 1);

      // No terminal, as the command of an agent.
      const { stdout, stderr } = await place.cli('open', '--print');
      await using browser = await openLink(stdout.trim());
      const choices = await browser.read(
        '[...document.querySelectorAll("#waiting [name=choice]")].map((one) => one.value).join()',
      );
      const lines = [...(await commandLines()).values()].join('\n');
      const kept = await readFile(place.paths.pageSessions, 'utf8');

      assert.match(stderr, /will not be able to allow requests: it has no terminal/);
      assert.equal(choices, 'deny');
      const token = stdout.trim().split('/').at(-1) ?? '-';
      assert.ok(!lines.includes(token) && !kept.includes(token));
      assert.equal(hook.hook.exitCode, null);
    });
  },
);
