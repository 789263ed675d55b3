import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parseJson } from '../../src/platform/json.ts';
import { type HookbellHome, hookbellHome, until } from '../support/hookbell-home.ts';
import { type HttpEndpoint, openHttpEndpoint } from '../support/http-endpoint.ts';

const accepted = { status: 202, body: '{"status":"success","message":"Event processed"}' } as const;

async function homeWith({ url }: HttpEndpoint): Promise<HookbellHome> {
  const place = await hookbellHome();
  await place.writeConfig(`
channels:
  pager: { type: pagerduty, server: "${url}", routing_key: { env: PAGER_KEY }, timeout: 2s }
routes: [{ match: { kind: waiting }, notify: pager }, { match: {}, notify: inbox }]
`);
  place.env['PAGER_KEY'] = 'R0123456789ABCDEF0123456789ABCDE';
  return place;
}

const session = { session_id: 's1', cwd: '/tmp/shop' };

async function ask(place: HookbellHome): Promise<void> {
  const message = 'Claude needs your permission to use Bash';
  await place.hook({ ...session, hook_event_name: 'Notification', message });
}

/** The requests as "ACTION KEY". */
function events({ requests }: HttpEndpoint): readonly string[] {
  return requests.map(({ body }) => {
    const { event_action: action, dedup_key: key } = Object(parseJson(body));
    return `${action} ${key}`;
  });
}

/** The actions in order; all of them are about one incident. */
function actions(endpoint: HttpEndpoint): readonly (string | undefined)[] {
  const all = events(endpoint).map((event) => event.split(' '));
  assert.equal(new Set(all.map(([, key]) => key)).size, 1);
  return all.map(([action]) => action);
}

describe('an alert and its incident in PagerDuty', { timeout: 60_000 }, () => {
  test('"hookbell ack" acknowledges the incident, also after an outage and a killed daemon, and the answer resolves it', async () => {
    await using endpoint = await openHttpEndpoint();
    await using place = await homeWith(endpoint);
    endpoint.answer(accepted);
    await place.start();
    await ask(place);
    await until(() => endpoint.requests.length === 1);
    // The reference is stored after the response.
    await until(async () => (await place.ask('GET /v1/status')).deliveries.pending === 0);

    endpoint.answer({ status: 503, body: 'down', headers: { 'retry-after': '30' } });
    const refused = endpoint.nextRequest();
    assert.equal((await place.cli('ack', '--all')).code, 0);
    await refused;
    await place.killDaemon();
    endpoint.answer(accepted);
    await place.start();
    await until(() => endpoint.requests.length === 3);
    await place.hook({ ...session, hook_event_name: 'UserPromptSubmit', prompt: 'Yes' });
    await until(() => endpoint.requests.length === 4);

    assert.deepEqual(actions(endpoint), ['trigger', 'acknowledge', 'acknowledge', 'resolve']);
  });

  test('an incident whose confirmation was lost is resolved, although its alert was answered before the retry', async () => {
    await using endpoint = await openHttpEndpoint();
    await using place = await homeWith(endpoint);
    endpoint.answer('silence', accepted);
    await place.start();
    const arrived = endpoint.nextRequest();
    await ask(place);
    await arrived;

    await place.hook({ ...session, hook_event_name: 'UserPromptSubmit', prompt: 'Yes' });
    await until(() => endpoint.requests.length === 2);

    assert.deepEqual(actions(endpoint), ['trigger', 'resolve']);
  });
});
