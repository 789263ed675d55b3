import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const MAX_BYTES = 1_000_000;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export type Authorities =
  | { readonly ok: true; readonly pem: string }
  /** The end of a sentence that begins with the name of the setting. */
  | { readonly ok: false; readonly problem: string };

/**
 * Reads a PEM file of certificates and checks each of them, because a broken one would make connections fail without
 * a stated reason.
 *
 * @param path "~/" is the home directory; relative paths start at the configuration file
 */
export async function readAuthorities(path: string, configPath: string): Promise<Authorities> {
  const absolute = path.startsWith('~/')
    ? join(homedir(), path.slice(2))
    : resolve(dirname(configPath), path);
  let text: string;
  try {
    text = await readFile(absolute, 'latin1');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return refused(`cannot be read: "${absolute}": ${code}`);
  }
  if (text.length > MAX_BYTES) return refused(`is larger than 1 MB: "${absolute}"`);
  if (text.includes('PRIVATE KEY-----')) {
    return refused(`contains a private key, expected only certificates: "${absolute}"`);
  }
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) return refused(`contains no PEM certificate: "${absolute}"`);
  for (const [index, certificate] of certificates.entries()) {
    if (!isReadable(certificate)) {
      return refused(`contains an invalid certificate, number ${index + 1}: "${absolute}"`);
    }
  }
  return { ok: true, pem: certificates.join('\n') };
}

function isReadable(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).raw.length > 0;
  } catch {
    return false;
  }
}

function refused(problem: string): Authorities {
  return { ok: false, problem };
}
