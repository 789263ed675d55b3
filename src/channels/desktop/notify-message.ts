import { pathToFileURL } from 'node:url';

import { programFile } from '../../core/program-files.ts';
import type { Value } from '../../dbus/values.ts';
import type { PopUp, Urgency } from './rung.ts';

/** The notification service of the freedesktop specification: specifications.freedesktop.org/notification-spec. */
export const SERVICE = 'org.freedesktop.Notifications';
export const OBJECT = '/org/freedesktop/Notifications';

const APP_NAME = 'hookbell';
/** Of the program itself: there also where nothing was installed into the theme of icons. */
const ICON = pathToFileURL(programFile('icon')).href;

/** A button that leads to the page for replies, and the one of KDE that becomes a field to type into. */
type ReplyAction = 'reply' | 'inline-reply';

/** How a pop-up with a `replyUrl` can be answered; null: it cannot. */
export function replyActionOf(
  capabilities: readonly string[],
  opensPages: boolean,
): ReplyAction | null {
  if (!capabilities.includes('actions')) return null;
  if (capabilities.includes('inline-reply')) return 'inline-reply';
  return opensPages ? 'reply' : null;
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
  /** The id of the pop-up whose place it takes, or 0. */
  readonly replaces: number;
  readonly capabilities: readonly string[];
  readonly opensPages: boolean;
}): readonly Value[] {
  const hasActions = capabilities.includes('actions');
  const button = popUp.replyUrl === null ? null : replyActionOf(capabilities, opensPages);
  const actions = [
    ...(hasActions ? ['default', clickLabel(popUp)] : []),
    ...(button === null ? [] : [button, 'Reply']),
  ];
  const hints: readonly (readonly [string, Value])[] = [
    ...(popUp.passing ? [['transient', { signature: 'b', value: true }] as const] : []),
    ['urgency', { signature: 'y', value: urgencyBytes[popUp.urgency] }],
    ...Object.entries(stringHints(popUp, button)).map(
      ([name, value]) => [name, { signature: 's', value }] as const,
    ),
  ];
  const body = capabilities.includes('body-markup') ? escapeMarkup(popUp.body) : popUp.body;
  return [APP_NAME, replaces, ICON, popUp.title, body, actions, hints, popUp.expireMs ?? -1];
}

function stringHints(popUp: PopUp, button: ReplyAction | null): Readonly<Record<string, string>> {
  return {
    'desktop-entry': APP_NAME,
    category: 'im.received',
    // dunst (https://dunst-project.org/documentation/): the colour of the frame. Others ignore it.
    frcolor: popUp.colour,
    // Servers that know it replace by it even when the id was forgotten, as after a restart of the daemon.
    'x-canonical-private-synchronous': popUp.key,
    ...(popUp.sound !== null && { 'sound-name': soundName(popUp.sound) }),
    // https://github.com/KDE/plasma-workspace, libnotificationmanager/notification.cpp
    ...(button === 'inline-reply' && {
      'x-kde-reply-placeholder-text': 'Your answer',
      'x-kde-reply-submit-button-text': 'Send',
    }),
  };
}

/** What a click does, for servers that show it as a button. */
function clickLabel({ reaction }: PopUp): string {
  const opens = reaction.type === 'acknowledged' && reaction.opens !== null;
  return opens ? 'Open terminal' : 'Acknowledge';
}

/** A name of the freedesktop sound theme. */
function soundName(sound: string): string {
  return sound === 'default' ? 'message-new-instant' : sound;
}

/** Only these three: other entities are not known to every server. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
