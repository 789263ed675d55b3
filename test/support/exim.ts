import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { filesIn } from './files-in.ts';
import { needs } from './system-part.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/** Why exim tests cannot run here, or false. */
export function needsExim(): string | false {
  return needs('exim4', 'openssl') || (process.getuid?.() === 0 ? false : 'needs root for exim4');
}

export interface Exim extends AsyncDisposable {
  /** STARTTLS; logins only once encrypted. */
  readonly port: number;
  /** TLS from the start. */
  readonly securePort: number;
  /** PEM file of its certificate, which is for "localhost". */
  readonly certificate: string;
  /** Waits until the Maildir holds `count` messages and returns them. */
  mails(count: number): Promise<readonly Buffer[]>;
}

/**
 * A real mail server (exim4). Login "robot" with "s3cret", without it every recipient is refused; busy@ is put off
 * (451), gone@ refused (550), all others get the mail into one Maildir; more than 1 MB is refused (552).
 */
export async function startExim(): Promise<Exim> {
  const directory = await temporaryDirectory();
  const root = directory.path;
  // The server works as another user and has to get through.
  await chmod(root, 0o755);
  const [port, securePort] = await freePorts();
  await run('openssl', [
    ...'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost'.split(' '),
    ...'-addext subjectAltName=DNS:localhost'.split(' '),
    '-keyout',
    join(root, 'key.pem'),
    '-out',
    join(root, 'cert.pem'),
  ]);
  const arrived = join(root, 'mail', 'new');
  for (const folder of ['spool', 'log', 'mail', 'mail/new', 'mail/cur', 'mail/tmp']) {
    await mkdir(join(root, folder));
  }
  await writeFile(join(root, 'exim.conf'), configuration(root, port, securePort));
  await run('chown', [
    '-R',
    'Debian-exim:',
    ...['spool', 'log', 'mail', 'key.pem'].map((name) => join(root, name)),
  ]);

  // A separate process group: the processes it starts for connections and deliveries have to go with it.
  const exim = spawn('exim4', ['-C', join(root, 'exim.conf'), '-bdf'], {
    stdio: 'ignore',
    detached: true,
  });
  const ended = once(exim, 'exit');
  await Promise.race([
    filesIn(join(root, 'spool'), (names) => names.includes('pid')),
    ended.then(() => Promise.reject(new Error('exim4 did not start'))),
  ]);

  return {
    port,
    securePort,
    certificate: join(root, 'cert.pem'),
    mails: async (count) => {
      const names = await filesIn(arrived, (list) => list.length >= count);
      return Promise.all(names.map((name) => readFile(join(arrived, name))));
    },
    [Symbol.asyncDispose]: async () => {
      if (exim.pid !== undefined && exim.exitCode === null) process.kill(-exim.pid, 'SIGKILL');
      await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function freePorts(): Promise<readonly [number, number]> {
  const servers = [createServer(), createServer()];
  const ports = await Promise.all(
    servers.map(async (server) => {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address: AddressInfo | string | null = server.address();
      if (address === null || typeof address === 'string') throw new Error('No free port');
      return address.port;
    }),
  );
  for (const server of servers) {
    server.close();
    await once(server, 'close');
  }
  const [first = 0, second = 0] = ports;
  return [first, second];
}

function configuration(root: string, port: number, securePort: number): string {
  return `primary_hostname = x.test
spool_directory = ${root}/spool
log_file_path = ${root}/log/%slog
pid_file_path = ${root}/spool/pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port} : ${securePort}
tls_on_connect_ports = ${securePort}
tls_certificate = ${root}/cert.pem
tls_privatekey = ${root}/key.pem
auth_advertise_hosts = \${if def:tls_in_cipher {*}}
message_size_limit = 1M
acl_smtp_rcpt = rcpt
begin acl
rcpt:
  deny !authenticated = *
  defer local_parts = busy
  deny local_parts = gone
  accept
begin routers
all:
  driver = accept
  transport = maildir
begin transports
maildir:
  driver = appendfile
  maildir_format
  directory = ${root}/mail
  create_directory
  user = Debian-exim
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and {{eq {$auth2}{robot}}{eq {$auth3}{s3cret}}}}
`;
}
