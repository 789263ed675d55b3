import { EventEmitter, once } from 'node:events';
import type { Variant } from 'dbus-next';
import dbus from 'dbus-next';
import { deferred } from './deferred.ts';
import type { TestBus } from './session-bus.ts';
import { startSessionBus } from './session-bus.ts';

const NAME = 'org.freedesktop.Notifications';

/** One call of Notify. */
export interface NotifyCall {
  readonly appName: string;
  readonly replacesId: number;
  readonly icon: string;
  readonly title: string;
  readonly body: string;
  readonly actions: readonly string[];
  readonly hints: Readonly<Record<string, unknown>>;
  readonly expireMs: number;
  /** The id it was answered with. */
  readonly id: number;
}

/**
 * A notification server without a display, on a private bus: it shows nothing and remembers everything.
 *
 * @example
 * await using server = await startNotificationServer();
 * // run something with DBUS_SESSION_BUS_ADDRESS: server.address
 * const { title } = await server.nextCall();
 */
export interface NotificationServer extends AsyncDisposable {
  /** For DBUS_SESSION_BUS_ADDRESS. */
  readonly address: string;
  /** Its directory holds the socket as "bus", so it can serve as XDG_RUNTIME_DIR. */
  readonly bus: TestBus;
  readonly calls: readonly NotifyCall[];
  /** Ids whose pop-up stands. */
  readonly standing: ReadonlySet<number>;
  /** Settles with the oldest call of Notify that `nextCall` has not responded yet. */
  nextCall(): Promise<NotifyCall>;
  /** A person clicks a pop-up, or chooses another of its actions. */
  click(id: number, action?: string): void;
  /** A person types an answer into a pop-up, which stays: sent as KDE Plasma does, only to the program that showed it. */
  reply(id: number, text: string): void;
  /** A person closes a pop-up without a click. */
  dismiss(id: number): void;
  /** Switches "do not disturb" as KDE Plasma reports it. */
  inhibit(isOn: boolean): void;
  /** From now on Notify gets no answer; `reached` settles when it is called. */
  hang(): { readonly reached: Promise<unknown> };
  /** From now on pop-ups are shown, but their ids are sent only when the returned function is called. */
  hold(): () => void;
  /** Leaves the bus, as a server that crashed. */
  leave(): Promise<void>;
  /** Comes back. */
  enter(): Promise<void>;
}

/** @param capabilities what GetCapabilities answers */
export async function startNotificationServer(
  capabilities: readonly string[] = ['actions', 'body', 'body-markup'],
): Promise<NotificationServer> {
  const bus = await startSessionBus();
  const desk = new Desk();
  const connection = dbus.sessionBus({ busAddress: bus.address });
  const server = new FakeServer(capabilities, desk);
  connection.export('/org/freedesktop/Notifications', server);
  await connection.requestName(NAME, 0);
  // What exports the interface does not say who calls.
  connection.on('message', ({ member, sender }: dbus.Message) => {
    if (member === 'Notify') desk.caller = sender;
  });
  return {
    address: bus.address,
    bus,
    calls: desk.calls,
    standing: desk.standing,
    nextCall: () => desk.nextCall(),
    click(id, action = 'default') {
      server.ActionInvoked(id, action);
      server.dismiss(id);
    },
    reply: (id, text) =>
      connection.send(repliedSignal(id, text, { destination: desk.callers.get(id) ?? '' })),
    dismiss: (id) => server.dismiss(id),
    hang() {
      desk.isHanging = true;
      return { reached: once(desk.events, 'hang') };
    },
    hold() {
      const { promise, resolve } = deferred();
      desk.held = promise;
      return () => {
        desk.held = null;
        resolve();
      };
    },
    inhibit: (isOn) => server.inhibit(isOn),
    leave: async () => void (await connection.releaseName(NAME)),
    enter: async () => void (await connection.requestName(NAME, 0)),
    async [Symbol.asyncDispose]() {
      connection.disconnect();
      await bus[Symbol.asyncDispose]();
    },
  };
}

function repliedSignal(
  id: number,
  text: string,
  to: { readonly destination?: string },
): dbus.Message {
  return new dbus.Message({
    type: dbus.MessageType.SIGNAL,
    path: '/org/freedesktop/Notifications',
    interface: NAME,
    member: 'NotificationReplied',
    signature: 'us',
    body: [id, text],
    ...to,
  });
}

/** Another program of the session that says something was typed into a pop-up. */
export async function pretendReply(address: string, id: number, text: string): Promise<void> {
  const connection = dbus.sessionBus({ busAddress: address });
  await once(connection, 'connect');
  connection.send(repliedSignal(id, text, {}));
  // An answer from the bus comes after whatever was sent before.
  await connection.getProxyObject('org.freedesktop.DBus', '/org/freedesktop/DBus');
  connection.disconnect();
}

/** What stands on the imagined screen. */
class Desk {
  readonly calls: NotifyCall[] = [];
  readonly standing = new Set<number>();
  readonly events = new EventEmitter();
  /** The connection that showed each pop-up. */
  readonly callers = new Map<number, string>();
  caller = '';
  isHanging = false;
  held: Promise<unknown> | null = null;
  #answered = 0;

  put(call: Omit<NotifyCall, 'id'>): number {
    const id = call.replacesId === 0 ? this.calls.length + 1 : call.replacesId;
    this.standing.add(id);
    this.callers.set(id, this.caller);
    this.calls.push({ ...call, id });
    this.events.emit('call');
    return id;
  }

  async nextCall(): Promise<NotifyCall> {
    const index = this.#answered;
    this.#answered += 1;
    for (;;) {
      const call = this.calls[index];
      if (call !== undefined) return call;
      await once(this.events, 'call');
    }
  }
}

/** Its methods are those of the D-Bus interface: specifications.freedesktop.org/notification-spec, section 9. */
class FakeServer extends dbus.interface.Interface {
  readonly #capabilities: readonly string[];
  readonly #desk: Desk;

  constructor(capabilities: readonly string[], desk: Desk) {
    super(NAME);
    this.#capabilities = capabilities;
    this.#desk = desk;
  }

  GetCapabilities(): readonly string[] {
    return this.#capabilities;
  }

  Inhibited = false;

  inhibit(isOn: boolean): void {
    this.Inhibited = isOn;
    dbus.interface.Interface.emitPropertiesChanged(this, { Inhibited: isOn }, []);
  }

  GetServerInformation(): readonly string[] {
    return ['fake', 'hookbell', '1', '1.2'];
  }

  Notify(
    appName: string,
    replacesId: number,
    icon: string,
    title: string,
    body: string,
    actions: readonly string[],
    variants: Readonly<Record<string, Variant<unknown>>>,
    expireMs: number,
  ): number | Promise<number> {
    if (this.#desk.isHanging) {
      this.#desk.events.emit('hang');
      return new Promise<number>(() => {});
    }
    const hints = Object.fromEntries(
      Object.entries(variants).map(([name, { value }]) => [name, value]),
    );
    const { held } = this.#desk;
    const id = this.#desk.put({
      appName,
      replacesId,
      icon,
      title,
      body,
      actions,
      hints,
      expireMs,
    });
    return held === null ? id : held.then(() => id);
  }

  CloseNotification(id: number): void {
    this.#desk.standing.delete(id);
    this.NotificationClosed(id, 3);
  }

  /** For a person: reason 2. */
  dismiss(id: number): void {
    this.#desk.standing.delete(id);
    this.NotificationClosed(id, 2);
  }

  /** A signal: it goes out with what the method answers. */
  ActionInvoked(id: number, action: string): readonly [number, string] {
    return [id, action];
  }

  /** As above. */
  NotificationClosed(id: number, reason: number): readonly [number, number] {
    return [id, reason];
  }
}

FakeServer.configureMembers({
  methods: {
    GetCapabilities: { outSignature: 'as' },
    GetServerInformation: { outSignature: 'ssss' },
    Notify: { inSignature: 'susssasa{sv}i', outSignature: 'u' },
    CloseNotification: { inSignature: 'u' },
  },
  properties: { Inhibited: { signature: 'b', access: 'read' } },
  signals: { NotificationClosed: { signature: 'uu' }, ActionInvoked: { signature: 'us' } },
});
