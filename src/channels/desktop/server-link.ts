import { pathToFileURL } from 'node:url';

import { escapeAngles } from '../../text/escape.ts';
import { programFile } from '../../platform/program-files.ts';
import type { BusAddress } from '../../platform/dbus/bus-address.ts';
import {
  BUS,
  BUS_OBJECT,
  type BusCallOptions,
  type BusConnection,
  connectToBus,
  type BusReply,
  type MethodCall,
} from '../../platform/dbus/bus-connection.ts';
import type { BusMessage } from '../../platform/dbus/bus-message.ts';
import type { BusValue } from '../../platform/dbus/bus-values.ts';
import type { PopUp, Urgency } from './backend.ts';
import { actionKey, type DecisionButton } from './decision.ts';

/** The notification service of the freedesktop specification: specifications.freedesktop.org/notification-spec. */
export const NOTIFIER = 'org.freedesktop.Notifications';
export const OBJECT = '/org/freedesktop/Notifications';

const APP_NAME = 'hookbell';
/** Our own file: no icon theme is needed. A small one: dunst shows it in its own size, and 128 pixels are half a pop-up. */
const ICON = pathToFileURL(programFile('smallIcon')).href;

/** A button that opens the reply page, and KDE's button that becomes a text field. */
type ReplyAction = 'reply' | 'inline-reply';

/** How a pop-up with a `replyUrl` can be answered; null if it cannot. */
export function replyActionOf(
  capabilities: readonly string[],
  opensPages: boolean,
): ReplyAction | null {
  if (!capabilities.includes('actions')) return null;
  if (capabilities.includes('inline-reply')) return 'inline-reply';
  return opensPages ? 'reply' : null;
}

/** Keys and labels by turns. A request that is not shown, because the server shows no texts, can only be denied. */
function actionsOf(
  popUp: PopUp,
  capabilities: readonly string[],
  opensPages: boolean,
): readonly string[] {
  if (!capabilities.includes('actions')) return [];
  const { decision, replyUrl } = popUp;
  const page = replyUrl === null ? null : replyActionOf(capabilities, opensPages);
  const opens = popUp.reaction.type === 'acknowledged' && popUp.reaction.opens !== null;
  // Some servers show the click as a button.
  const click = ['default', opens ? 'Open terminal' : 'Acknowledge'];
  if (decision === null) {
    const needsPage = page === 'inline-reply' && opensPages && mayHideFields(capabilities);
    return [
      ...click,
      ...(page === null ? [] : [page, 'Reply']),
      ...(needsPage ? ['reply', 'Reply page'] : []),
    ];
  }
  const isOffered = ({ choice }: DecisionButton): boolean =>
    choice === 'deny' || capabilities.includes('body');
  const buttons = decision.buttons
    .filter(isOffered)
    .flatMap((button) => [actionKey(button, decision), button.label]);
  const canType = capabilities.includes('inline-reply');
  const typed = decision.typed === 'deny' ? 'Deny with words' : 'Answer';
  return [
    ...click,
    ...buttons,
    ...(canType ? ['inline-reply', typed] : []),
    ...(replyUrl !== null && opensPages ? ['reply', 'See all'] : []),
  ];
}

/** SwayNotificationCenter shows no field in its usual configuration, and lists the capability nevertheless. KDE always shows one. */
function mayHideFields(capabilities: readonly string[]): boolean {
  return !capabilities.some((capability) => capability.startsWith('x-kde-'));
}

/** The `urgency` hint is a byte. */
const urgencyBytes: Readonly<Record<Urgency, number>> = { low: 0, normal: 1, critical: 2 };

/** The arguments of Notify, of the signature "susssasa{sv}i". */
export function notifyBody({
  popUp,
  replaces,
  capabilities,
  opensPages,
}: {
  readonly popUp: PopUp;
  readonly replaces: number;
  readonly capabilities: readonly string[];
  readonly opensPages: boolean;
}): readonly BusValue[] {
  const actions = actionsOf(popUp, capabilities, opensPages);
  const hints: readonly (readonly [string, BusValue])[] = [
    ...(popUp.passing ? [['transient', { signature: 'b', value: true }] as const] : []),
    ['urgency', { signature: 'y', value: urgencyBytes[popUp.urgency] }],
    ...Object.entries(stringHints(popUp, actions)).map(
      ([name, value]) => [name, { signature: 's', value }] as const,
    ),
  ];
  const body = capabilities.includes('body-markup') ? escapeAngles(popUp.body) : popUp.body;
  return [APP_NAME, replaces, ICON, popUp.title, body, actions, hints, popUp.expireMs ?? -1];
}

function stringHints(popUp: PopUp, actions: readonly string[]): Readonly<Record<string, string>> {
  const { sound } = popUp;
  return {
    'desktop-entry': APP_NAME,
    category: 'im.received',
    // dunst (https://dunst-project.org/documentation/): the colour of the frame. Others ignore it.
    frcolor: popUp.colour,
    // Servers that support it replace by it even when the id was lost, such as after a restart of the daemon.
    'x-canonical-private-synchronous': popUp.key,
    // A name of the freedesktop sound theme.
    ...(sound !== null && { 'sound-name': sound === 'default' ? 'message-new-instant' : sound }),
    // https://github.com/KDE/plasma-workspace, libnotificationmanager/notification.cpp
    ...(actions.includes('inline-reply') && {
      'x-kde-reply-placeholder-text':
        popUp.decision?.typed === 'deny' ? 'What the agent should do instead' : 'Your answer',
      'x-kde-reply-submit-button-text': 'Send',
    }),
  };
}

/** The bus checks the owner. A signal to one connection needs no rule, so the sender of each is checked as well. */
const SERVER_SIGNALS = `type='signal',sender='${NOTIFIER}',path='${OBJECT}',interface='${NOTIFIER}'`;
const OTHER_OWNER = `type='signal',sender='${BUS}',interface='${BUS}',member='NameOwnerChanged',arg0='${NOTIFIER}'`;

/** The connection for pop-ups, and the data about the server at its other end. */
export interface ServerLink {
  readonly connection: BusConnection;
  readonly address: BusAddress & { readonly ok: true };
  busId: string;
  /** The unique name of the server, never reused; null while no server runs. */
  owner: string | null;
  /** Null until queried. */
  capabilities: readonly string[] | null;
}

interface LinkOptions {
  readonly signal: AbortSignal;
  readonly connectMs: number;
  readonly askMs: number;
  readonly onSignal: (link: ServerLink, message: BusMessage) => void;
}

/** Identifies the running server: ids of pop-ups belong to one server. Null if none runs. */
export function serverOf({ busId, owner }: Pick<ServerLink, 'busId' | 'owner'>): string | null {
  return owner === null ? null : `${busId} ${owner}`;
}

/** Connects, and listens to the server and to its replacement; returns the reason, for people, if that fails. */
export async function openLink(
  address: BusAddress & { readonly ok: true },
  { signal, connectMs, askMs, onSignal }: LinkOptions,
): Promise<ServerLink | string> {
  const early: BusMessage[] = [];
  let link: ServerLink | null = null;
  const connection = await connectToBus(address.socket, {
    timeoutMs: connectMs,
    signal,
    onSignal: (message) => (link === null ? early.push(message) : onSignal(link, message)),
  });
  if (typeof connection === 'string') return connection;
  const opened: ServerLink = { connection, address, busId: '', owner: null, capabilities: null };
  link = opened;
  for (const message of early) onSignal(opened, message);
  const options = { timeoutMs: askMs, signal };
  const replies = await Promise.all([
    busCall(connection, 'AddMatch', [SERVER_SIGNALS], options),
    busCall(connection, 'AddMatch', [OTHER_OWNER], options),
    busCall(connection, 'GetNameOwner', [NOTIFIER], options, (owner) => (opened.owner = owner)),
    busCall(connection, 'GetId', [], options, (id) => (opened.busId = id)),
  ]);
  if (replies.every(({ type }) => type !== 'none') && opened.busId !== '') return opened;
  connection.close();
  return 'the session bus does not answer';
}

/** A method of the notification server. */
export function serverCall(
  member: string,
  signature = '',
  body: NonNullable<MethodCall['body']> = [],
): MethodCall {
  return { destination: NOTIFIER, path: OBJECT, interface: NOTIFIER, member, signature, body };
}

/** Whether the bus reports that the server is gone. */
export function isGone(errorName: string): boolean {
  return ['ServiceUnknown', 'NameHasNoOwner'].some((name) => errorName === `${BUS}.Error.${name}`);
}

/** A method of the bus itself; `onText` gets a returned string. */
export function busCall(
  connection: BusConnection,
  member: string,
  words: readonly string[],
  options: BusCallOptions,
  onText?: (text: string) => void,
): Promise<BusReply> {
  const call = { destination: BUS, path: BUS_OBJECT, interface: BUS, member };
  return connection.call(
    { ...call, signature: 's'.repeat(words.length), body: words },
    {
      ...options,
      onAnswer({ body: [answer] }) {
        if (typeof answer === 'string') onText?.(answer);
      },
    },
  );
}

/** A monitor; null if the bus does not allow it. dunst and KDE Plasma report only to the connection that showed a pop-up. */
export async function openMonitor(
  link: ServerLink,
  { signal, askMs, onSignal }: LinkOptions,
): Promise<BusConnection | null> {
  const options = { timeoutMs: askMs, signal };
  const connection = await connectToBus(link.address.socket, {
    ...options,
    onSignal: (message) => onSignal(link, message),
  });
  if (typeof connection === 'string') return null;
  const face = `${BUS}.Monitoring`;
  const become = { destination: BUS, path: BUS_OBJECT, interface: face, member: 'BecomeMonitor' };
  const answer = await connection.call(
    { ...become, signature: 'asu', body: [[SERVER_SIGNALS], 0] },
    options,
  );
  if (answer.type === 'answer') return connection;
  connection.close();
  return null;
}
