import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { NotFoundError } from '../../src/platform/errors.ts';
import { askPage } from '../support/reply-page-home.ts';
import { sampleSessionView } from '../support/sample-views.ts';
import { openStream, post, servedPage, tokenIn } from '../support/served-page.ts';
import { until } from '../support/until.ts';
import { wordsIn } from '../support/words-in.ts';

/** A page in a browser that is signed in, with the token of its forms. */
async function openPage(options: Parameters<typeof servedPage>[0] = {}) {
  const page = await servedPage(options);
  const { cookie } = await page.signIn();
  const token = tokenIn(await askPage(page.root, { headers: { cookie } }));
  return {
    page,
    cookie,
    token,
    get: (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
      askPage(`${page.root}${path}`, { method, headers: { cookie, ...headers } }),
    send: (
      path: string,
      fields: Readonly<Record<string, string>>,
      headers: Readonly<Record<string, string>> = {},
    ) => post(`${page.root}${path}`, { token, ...fields }, { cookie, ...headers }),
    [Symbol.asyncDispose]: () => page[Symbol.asyncDispose](),
  };
}

describe('a request for the page', () => {
  test('is refused for any method but GET, HEAD and POST', async () => {
    await using open = await openPage();

    for (const method of ['PUT', 'DELETE', 'OPTIONS']) {
      const { status, body } = await open.get('', {}, method);
      assert.deepEqual([method, status], [method, 405]);
      assert.match(wordsIn(body), /Method not allowed/);
    }
  });

  test('gets the headers of the page without its content for HEAD', async () => {
    await using open = await openPage();

    const { status, body, headers } = await open.get('', {}, 'HEAD');

    assert.deepEqual([status, body], [200, '']);
    assert.match(String(headers['content-type']), /^text\/html/);
  });

  test('leads to no page under another name, or for an event that is gone', async () => {
    await using open = await openPage({
      onAsk(name) {
        if (name === 'GET /v1/events') throw new NotFoundError('No event "e-9"');
      },
    });

    const [other, gone] = [await open.get('nonsense'), await open.get('events/e-9')];

    assert.deepEqual([other.status, gone.status], [404, 404]);
    assert.match(wordsIn(other.body), /This page does not exist\./);
    assert.match(wordsIn(gone.body), /No event &quot;e-9&quot;/);
  });

  test('gets a page without details for a fault', async () => {
    let fails = false;
    await using open = await openPage({
      onAsk() {
        if (fails) throw new TypeError('the inside of the store');
      },
    });
    fails = true;

    const { status, body } = await open.get('timeline?session=s1');

    assert.equal(status, 500);
    assert.match(wordsIn(body), /Unexpected error The daemon cannot handle the request/);
    assert.doesNotMatch(body, /inside of the store/);
  });
});

describe('a link that signs in', () => {
  test('is not used up by an image or a prefetch of another site', async () => {
    await using page = await servedPage();
    const { token } = page.host.access.makeLink({ rights: 'decide', withCode: false });
    const link = `${page.origin}/open/${token}`;

    const { status } = await askPage(link, { headers: { 'sec-fetch-mode': 'no-cors' } });

    assert.equal(status, 403);
    assert.equal(page.host.access.isOpen(token), true);
    assert.equal((await askPage(link)).status, 200);
  });
});

describe('a form of the page', () => {
  test('is refused if it is longer than anything a person types', async () => {
    await using open = await openPage();

    const { status, body } = await open.send('do/mute', { project: 'x'.repeat(1024 * 1024) });

    assert.equal(status, 413);
    assert.match(wordsIn(body), /The form is too long/);
    assert.deepEqual(open.page.asked, []);
  });

  test('answers the script in JSON, and a browser without a script with a page', async () => {
    await using open = await openPage({ answers: { 'POST /v1/ack': { count: 1 } } });
    const json = { accept: 'application/json' };

    const done = await open.send('do/ack', { session: 's1' }, json);
    const unknown = await open.send('do/nonsense', {}, json);
    const old = await open.send('do/ack', { session: 's1', token: 'x' }, json);
    const page = await open.send('do/nonsense', {});

    assert.deepEqual(
      [done, unknown, old].map(({ status, body }) => [status, JSON.parse(body)]),
      [
        [200, { ok: true, text: 'Acknowledged: it no longer escalates' }],
        [404, { ok: false, text: 'The page has no such form' }],
        [403, { ok: false, text: 'The form is out of date: reload the page' }],
      ],
    );
    assert.equal(page.status, 404);
    assert.match(wordsIn(page.body), /The page has no such form Go back to the page/);
  });

  test('is unknown under any path that is not the name of one', async () => {
    await using open = await openPage({ answers: { 'POST /v1/ack': { count: 1 } } });

    for (const path of ['', 'do/', 'do/ack/', 'do/ack2', 'undo/ack']) {
      const { status } = await open.send(path, { session: 's1' });
      assert.deepEqual([path, status], [path, 404]);
    }
    assert.deepEqual(open.page.asked, []);
  });
});

describe('the changes of a page', () => {
  test('cannot be followed under an unknown view', async () => {
    await using open = await openPage();

    for (const path of ['live', 'live?view=', 'live?view=usage']) {
      const { status, body } = await open.get(path);
      assert.deepEqual([path, status], [path, 404]);
      assert.match(wordsIn(body), /There is no such view/);
    }
  });

  test('go on from the last one that arrived, after a connection broke', async () => {
    const sessions = [sampleSessionView({ key: 'a', title: 'First' })];
    await using open = await openPage({ answers: { 'GET /v1/sessions': sessions } });
    const { body } = await open.get('');
    const version = /data-version="([^"]+)"/.exec(body)?.[1] ?? '';
    const { cookie } = open;
    const headers = { cookie, 'last-event-id': version };

    using stream = await openStream(`${open.page.root}live?view=sessions&version=old.1`, headers);
    sessions.push(sampleSessionView({ key: 'b', title: 'Second' }));
    open.page.changed.emit();
    await until(() => stream.text().includes('Second'));

    assert.ok(!stream.text().includes('First'));
  });
});
