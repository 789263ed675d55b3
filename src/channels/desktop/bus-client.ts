import { APP_NAME, ICON, OBJECT, SERVICE, stringHints, urgencyBytes } from './bus-message.ts';
import type { BusMessage } from './bus-message.ts';

/** A program that calls methods on the session bus; each function answers its arguments. */
export interface BusClient {
  readonly program: 'busctl' | 'gdbus';
  notify(message: BusMessage): string[];
  close(id: string): string[];
  capabilities(): string[];
}

/** Part of systemd. Takes strings as they are. */
export const busctl: BusClient = {
  program: 'busctl',
  notify({ popUp, replaces, body }) {
    const hints = stringHints(popUp);
    return busctlCall('Notify', [
      'susssasa{sv}i',
      APP_NAME,
      replaces ?? '0',
      ICON,
      popUp.title,
      body,
      '0',
      String(hints.length + 1),
      'urgency',
      'y',
      String(urgencyBytes[popUp.urgency]),
      ...hints.flatMap(([name, value]) => [name, 's', value]),
      String(popUp.expireMs ?? -1),
    ]);
  },
  close: (id) => busctlCall('CloseNotification', ['u', id]),
  capabilities: () => busctlCall('GetCapabilities', []),
};

function busctlCall(method: string, rest: readonly string[]): string[] {
  return ['--user', '--', 'call', SERVICE, OBJECT, SERVICE, method, ...rest];
}

/** Part of GLib. Reads every argument as GVariant text, so that a bare string may turn into something else. */
export const gdbus: BusClient = {
  program: 'gdbus',
  notify({ popUp, replaces, body }) {
    const hints = stringHints(popUp).map(([name, value]) => `'${name}': <${gvariantText(value)}>`);
    const urgency = `'urgency': <byte ${urgencyBytes[popUp.urgency]}>`;
    return gdbusCall('Notify', [
      gvariantText(APP_NAME),
      `uint32 ${replaces ?? '0'}`,
      gvariantText(ICON),
      gvariantText(popUp.title),
      gvariantText(body),
      '@as []',
      `{${[urgency, ...hints].join(', ')}}`,
      `int32 ${popUp.expireMs ?? -1}`,
    ]);
  },
  close: (id) => gdbusCall('CloseNotification', [`uint32 ${id}`]),
  capabilities: () => gdbusCall('GetCapabilities', []),
};

function gdbusCall(method: string, rest: readonly string[]): string[] {
  const target = ['--dest', SERVICE, '--object-path', OBJECT, '--method', `${SERVICE}.${method}`];
  return ['call', '--session', ...target, '--', ...rest];
}

function gvariantText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** The id in the answer to Notify: `u 5` from busctl, `(uint32 5,)` from gdbus; null where there is none. */
export function idIn(answer: string): string | null {
  return /\b\d+\b/.exec(answer)?.[0] ?? null;
}

/** The names in the answer to GetCapabilities: `as 2 "body" "actions"`, or `(['body', 'actions'],)`. */
export function namesIn(answer: string): readonly string[] {
  return [...answer.matchAll(/["']([\w.-]+)["']/g)].flatMap(([, name]) => name ?? []);
}
