import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

import { socketAddress } from '../../src/platform/http/unix-socket.ts';
import type { HookbellHome } from './hookbell-home.ts';

/** A request on the control socket made by hand, with the token: of any method, path and bytes. */
export async function askControl(
  { paths }: Pick<HookbellHome, 'paths'>,
  {
    method,
    path,
    body = '',
  }: { readonly method: string; readonly path: string; readonly body?: string | Uint8Array },
): Promise<{ readonly status: number; readonly body: string }> {
  const authorization = `Bearer ${(await readFile(paths.token, 'utf8')).trim()}`;
  const address = socketAddress(paths.socket);
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asking = request({
        socketPath: address.path,
        method,
        path,
        headers: { authorization, 'content-length': String(Buffer.byteLength(body)) },
      });
      asking.on('error', reject);
      asking.on('response', resolve);
      asking.end(body);
    });
    return { status: answer.statusCode ?? 0, body: await text(answer) };
  } finally {
    address.close();
  }
}
