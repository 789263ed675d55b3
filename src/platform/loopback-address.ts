import { isIP } from 'node:net';

export interface LoopbackAddress {
  /** 127.0.0.1 or another address of this machine alone. */
  readonly host: string;
  readonly port: number;
}

/** Whether an IP address can be reached only from this machine. False for names, which may resolve elsewhere later. */
export function isLoopback(host: string): boolean {
  return isIP(host) === 4 ? host.startsWith('127.') : host === '::1';
}

/** As in a URL. */
export function addressText({ host, port }: LoopbackAddress): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** True for hosts that only programs of this machine reach. */
export function isLocalHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
