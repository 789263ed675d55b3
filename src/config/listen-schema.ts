import { z } from 'zod';

/** "127.0.0.1:9464" or "[::1]:9464" apart; null for anything else. */
function addressOf(text: string): { readonly host: string; readonly port: number } | null {
  const found = /^(?:\[(::1)\]|(127(?:\.\d{1,3}){3})):(\d{1,5})$/.exec(text);
  const host = found?.[1] ?? found?.[2];
  const port = Number(found?.[3]);
  const isHost = host !== undefined && host.split('.').every((part) => !(Number(part) > 255));
  return isHost && port <= 65_535 ? { host, port } : null;
}

/** Where hookbell listens on this machine alone; comes out as host and port. */
export const listenAddress = z
  .string()
  .transform((text, context) => {
    const address = addressOf(text);
    if (address !== null) return address;
    context.issues.push({
      code: 'custom',
      input: text,
      message: `is no address of this machine alone: ${JSON.stringify(text)} needs to be like 127.0.0.1:9464 or "[::1]:9464"`,
    });
    return z.NEVER;
  })
  .meta({ title: 'loopback address' });
