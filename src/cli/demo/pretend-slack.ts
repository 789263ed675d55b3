import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import { isJsonObject } from '../../platform/json.ts';

export interface PretendSlack {
  /** Address of its incoming webhook. */
  readonly webhook: string;
  /** Texts of the messages so far, in order: the title, a line feed, the body. */
  readonly messages: readonly string[];
  close(): Promise<void>;
}

/** A loopback server that accepts messages as Slack's incoming webhooks do. */
export async function pretendSlack(): Promise<PretendSlack> {
  const messages: string[] = [];
  const server = createServer((request, response) => {
    take(request, messages).then(
      () => response.end('ok'),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : null;
  return {
    webhook: `http://127.0.0.1:${port}/services/demo`,
    messages,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function take(request: IncomingMessage, messages: string[]): Promise<void> {
  messages.push(textOf(await text(request)));
}

function textOf(body: string): string {
  const message: unknown = JSON.parse(body);
  const found = isJsonObject(message) ? message['text'] : undefined;
  return typeof found === 'string' ? shown(found) : '';
}

/** The displayed text: without the three escapes of Slack, and the Markdown escapes for servers other than Slack. */
function shown(escaped: string): string {
  return escaped
    .replaceAll(/\u2060|\\(?=[\\`*_{}[\]()!|+.-])/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
