import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';

import type { HttpEndpoint } from './http-endpoint.ts';
import { openHttpEndpoint } from './http-endpoint.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A proxy on the loopback that speaks CONNECT. */
export interface ConnectProxy extends AsyncDisposable {
  readonly port: number;
  /** What it was asked to connect to. */
  readonly targets: readonly string[];
}

/**
 * @param to port of the loopback that every target leads to: names of tests have no address
 * @param login "user:password" it wants; any other one gets 407
 */
export async function connectProxy({
  to,
  login = null,
}: {
  readonly to: number;
  readonly login?: string | null;
}): Promise<ConnectProxy> {
  const targets: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    targets.push(url);
    const wanted = `Basic ${Buffer.from(login ?? '').toString('base64')}`;
    if (login !== null && headers['proxy-authorization'] !== wanted) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const far = connect(to, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(far).pipe(client);
    });
    for (const socket of [far, client]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => open.delete(socket));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It does not listen');
  return {
    port: address.port,
    targets,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      for (const socket of open) socket.destroy();
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** An https server with its own name, whose certificate a private authority has signed. Needs openssl. */
export interface PrivateService extends AsyncDisposable {
  readonly name: string;
  readonly endpoint: HttpEndpoint;
  /** PEM file of the authority. */
  readonly authority: string;
}

function openssl(...words: readonly string[]): void {
  execFileSync('openssl', words, { stdio: 'ignore' });
}

export async function privateService(name = 'service.internal.example'): Promise<PrivateService> {
  const directory = await temporaryDirectory();
  const file = (base: string): string => join(directory.path, base);
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const [caKey, ca] = [file('ca-key.pem'), file('ca.pem')];
  openssl('req', '-x509', ...curve, '-subj', '/CN=Own CA', '-keyout', caKey, '-out', ca);
  const [key, request, cert] = [file('key.pem'), file('request.pem'), file('cert.pem')];
  openssl('req', ...curve, '-subj', `/CN=${name}`, '-keyout', key, '-out', request);
  const names = file('names.txt');
  writeFileSync(names, `subjectAltName=DNS:${name}`);
  const signer = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-days', '1', '-extfile', names];
  openssl('x509', '-req', '-in', request, ...signer, '-out', cert);
  const endpoint = await openHttpEndpoint({
    key: readFileSync(key, 'utf8'),
    cert: readFileSync(cert, 'utf8'),
  });
  return {
    name,
    endpoint,
    authority: ca,
    async [Symbol.asyncDispose]() {
      await endpoint[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
