import { createHmac } from 'node:crypto';

/** A token names its machine, so that people carry one value from one machine to the other. */
export interface RelayToken {
  readonly machine: string;
  /** The key that signs requests: a hash of the token; the other side stores only this. */
  readonly key: string;
}

const TOKEN = /^hookbell-relay\.([A-Za-z0-9][\w-]{0,31})\.([\w-]{43})$/;

/** True for a name a machine can be paired under: up to 32 letters, digits, "-" and "_", a letter or digit first. */
export function isMachineName(name: string): boolean {
  return /^[A-Za-z0-9][\w-]{0,31}$/.test(name);
}

/** @param random 32 random bytes */
export function makeToken(machine: string, random: Uint8Array): string {
  return `hookbell-relay.${machine}.${Buffer.from(random).toString('base64url')}`;
}

/** Null if it is not a token. */
export function readToken(text: string): RelayToken | null {
  const trimmed = text.trim();
  const machine = TOKEN.exec(trimmed)?.[1];
  return machine === undefined ? null : { machine, key: keyOf(trimmed) };
}

/** 256 random bits need no slow hash: they cannot be guessed by trying. */
function keyOf(token: string): string {
  return createHmac('sha256', token).update('hookbell relay key 1').digest('hex');
}
