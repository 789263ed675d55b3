import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { test } from 'node:test';

import { permissionRequest, startAsking } from '../support/asking-hook.ts';
import { freePort } from '../support/free-port.ts';
import { type HookbellHome, hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { selfSigned } from '../support/http-endpoint.ts';
import { openLink } from '../support/page-home.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { typedCommand } from '../support/typed-command.ts';

const HOST = 'bell.example.org';

interface Proxy extends AsyncDisposable {
  readonly port: number;
  /** SHA-256 of its public key, by which Chromium accepts its certificate. */
  readonly keyHash: string;
  /** The paths of the requests that it passed on. */
  readonly paths: readonly string[];
}

/** What Caddy does with "reverse_proxy": ends TLS, and passes everything on with its Host. */
async function startProxy(to: number): Promise<Proxy> {
  await using directory = await temporaryDirectory();
  const { key, cert } = await selfSigned(directory.path);
  const paths: string[] = [];
  const server = createServer({ key, cert }, (asked, answer) => {
    const { method, url, headers } = asked;
    paths.push(url ?? '');
    const passed = request({ host: '127.0.0.1', port: to, method, path: url, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
      given.once('close', () => answer.destroy());
    });
    passed.once('error', () => answer.destroy());
    answer.once('close', () => passed.destroy());
    asked.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const der = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    keyHash: createHash('sha256').update(der).digest('base64'),
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The addresses at which a process takes connections over TCP, as Linux lists them. */
async function listensAt(pid: number): Promise<readonly string[]> {
  const names = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(
    names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')),
  );
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((table) => readFile(`/proc/${pid}/net/${table}`, 'utf8').catch(() => '')),
  );
  return tables.flatMap((table) =>
    table
      .split('\n')
      .slice(1)
      .map((row) => row.trim().split(/\s+/))
      .filter(
        ([, , , state, , , , , , inode]) => state === '0A' && targets.includes(`socket:[${inode}]`),
      )
      .map(([, local = '']) => local),
  );
}

/** What a person at a terminal sees of "hookbell open --print". */
async function printed({ env }: HookbellHome): Promise<string> {
  const line = `${process.execPath} ${projectRoot}/dist/program/cli.js open --print`;
  await using command = typedCommand(line, env);
  return (await command.ended()).screen;
}

test(
  'on a phone, behind a proxy with TLS: a link with a QR code signs in, Allow reaches the hook, and the page can be installed',
  { skip: needs('chromium', 'mkfifo', 'openssl'), timeout: 240_000 },
  async () => {
    const port = await freePort();
    await using proxy = await startProxy(port);
    const origin = `https://${HOST}:${proxy.port}`;
    await using place = await hookbellHome();
    await place.writeConfig(`
channels: { log: { type: file, path: ${place.home}/log.jsonl } }
page: { listen: "127.0.0.1:${port}", url: "${origin}" }
`);
    const { pid = 0 } = await place.start();
    using hook = startAsking(place);
    await until(async () => (await place.ask('GET /v1/questions')).length === 1);

    const screen = await printed(place);
    const link = /https:\S+/.exec(screen)?.[0] ?? '';
    await using phone = await openLink(link, {
      width: 390,
      height: 844,
      isPhone: true,
      options: [
        `--host-resolver-rules=MAP ${HOST} 127.0.0.1`,
        `--ignore-certificate-errors-spki-list=${proxy.keyHash}`,
      ],
    });
    const width = await phone.read('[document.documentElement.scrollWidth, innerWidth].join()');
    const reasons = await phone.reasonsNotToInstall();
    const loaded = await phone.read(
      'performance.getEntries().flatMap(({ entryType, name }) => /navigation|resource/.test(entryType) ? name : []).join("\\n")',
    );
    await phone.press('#waiting .yes');
    const { printed: answer } = await hook.ended;
    using other = startAsking(place, { ...permissionRequest, session_id: 'session-b' });
    await until(async () => /touch made/.test(await phone.read('document.body.textContent')));

    assert.ok(link.startsWith(`${origin}/open/`), screen);
    assert.match(screen, /[▀▄█]{8}/);
    assert.equal(width, '390,390');
    assert.deepEqual(reasons, []);
    assert.ok(loaded.split('\n').length >= 3, loaded);
    for (const url of loaded.split('\n')) assert.ok(url.startsWith(`${origin}/`), url);
    assert.ok(proxy.paths.some((path) => /\/live\?view=sessions/.test(path)));
    assert.match(answer, /"behavior":"allow"/);
    assert.equal(other.hook.exitCode, null);
    // 127.0.0.1 and the port, as the kernel writes them.
    const own = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    assert.deepEqual(await listensAt(pid), [own]);
  },
);

/** Where the page is served, without a warning. */
async function served(place: HookbellHome): Promise<string> {
  const { endpoints, warnings } = await place.ask('GET /v1/status');
  assert.deepEqual(warnings, []);
  return endpoints.find(({ name }) => name === 'page')?.origin ?? '';
}

test('the page of a second user gets a free port, which it keeps', async () => {
  await using one = await hookbellHome();
  await using other = await hookbellHome();
  for (const place of [one, other]) {
    await place.writeConfig('page: {}\n');
    await place.start();
  }
  const before = await served(other);

  await other.killDaemon();
  await other.start();

  assert.notEqual(before, await served(one));
  assert.match(before, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(await served(other), before);
});
