import { execFile } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A certificate for "localhost" that signs itself. The user of the server may read its key. */
export async function certificateIn(directory: string, name: string) {
  const [certificate, key] = [join(directory, `${name}.pem`), join(directory, `${name}.key`)];
  await promisify(execFile)('openssl', [
    ...'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost'.split(' '),
    ...'-addext subjectAltName=DNS:localhost'.split(' '),
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
  if (process.getuid?.() === 0) {
    for (const path of [directory, key, certificate]) await chown(path, 65_534, 65_534);
  }
  return { certificate, key };
}
