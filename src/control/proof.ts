import { createHmac } from 'node:crypto';

/**
 * Where the daemon with this token listens. Every user sees the pipes of Windows and may make one first: without the token, its name
 * cannot be known before.
 */
export function controlAddress(socket: string, token: string): string {
  return process.platform === 'win32' ? `${socket}-${proofOf(token, 'pipe').slice(0, 32)}` : socket;
}

/** Proves knowledge of the token without revealing it: HMAC-SHA-256 of the other side's nonce, hex. */
export function proofOf(token: string, nonce: string): string {
  return createHmac('sha256', token).update(`hookbell:${nonce}`).digest('hex');
}
