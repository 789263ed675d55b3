import { escapeXml } from '../../text/escape.ts';
import type { PopUp } from './backend.ts';
import { actionKey } from './decision.ts';

/** Scheme of the links that `install` registers with Windows for this user; "hookbell open LINK" takes them. */
const SCHEME = 'hookbell:';
/** Windows shows at most this many buttons. */
const MOST_BUTTONS = 5;

/**
 * The content of a toast (learn.microsoft.com/windows/apps/design/shell/tiles-and-notifications/toast-xml-schema). Buttons and
 * clicks open links: the only kind of activation that needs no program registered as a COM server.
 *
 * @param number names the toast in its links; null: nothing on this machine takes them
 */
export function toastXml(popUp: PopUp, number: number | null): string {
  const { title, body, sound, urgency, decision, replyUrl } = popUp;
  const link = (action: string): string => `${SCHEME}${number}/${encodeURIComponent(action)}`;
  const buttons = [
    ...(number === null || decision === null
      ? []
      : decision.buttons.map((button) => [button.label, link(actionKey(button, decision))])),
    ...(replyUrl === null ? [] : [[decision === null ? 'Reply' : 'See all', replyUrl]]),
  ].slice(0, MOST_BUTTONS);
  const actions = buttons.map(
    ([label = '', target = '']) =>
      `<action content="${escapeXml(label)}" activationType="protocol" arguments="${escapeXml(target)}"/>`,
  );
  const texts = [title, body].map((text) => `<text>${escapeXml(text)}</text>`);
  return [
    '<toast',
    number === null ? '' : ` activationType="protocol" launch="${escapeXml(link('default'))}"`,
    urgency === 'critical' ? ' duration="long">' : '>',
    `<visual><binding template="ToastGeneric">${texts.join('')}</binding></visual>`,
    actions.length === 0 ? '' : `<actions>${actions.join('')}</actions>`,
    `<audio silent="${sound === null}"/></toast>`,
  ].join('');
}

/** The toast and the action that a link names; null for any other text. */
export function readToastLink(link: string): { number: number; action: string } | null {
  const [, number, action] = /^hookbell:(\d{1,15})\/((?:[\w.-]|%[\dA-F]{2})+)$/i.exec(link) ?? [];
  if (number === undefined || action === undefined) return null;
  try {
    return { number: Number(number), action: decodeURIComponent(action) };
  } catch {
    return null;
  }
}
