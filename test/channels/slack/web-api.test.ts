import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';

import { createCallSlack } from '../../../src/channels/slack/web-api.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { Secret } from '../../../src/text/secret.ts';

test('a 429 whose body breaks off keeps the wait that Slack asks for', async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(429, { 'retry-after': '7', 'content-length': '100' });
    response.write('{"ok":');
    setImmediate(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const call = createCallSlack(
    { server: `http://127.0.0.1:${port}/api/`, token: new Secret('xoxb-fake') },
    { outbound: createOutbound({ env: {} }), now: () => 0 },
  );

  const { outcome } = await call('chat.postMessage', {}, new AbortController().signal);

  assert.equal(outcome.type === 'retry' && outcome.afterMs, 7_000);
});
