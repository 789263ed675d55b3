import type { IncomingHttpHeaders } from 'node:http';

/**
 * Why a request to see the page is refused, or null. A link in Slack or a mail comes from another site, so only how
 * it is asked for counts: as a page of its own, not as an image, a frame or by a script. What is no browser sends none of these
 * headers (https://www.w3.org/TR/fetch-metadata/).
 */
export function refusalOfLook(headers: IncomingHttpHeaders): string | null {
  const mode = headers['sec-fetch-mode'];
  const destination = headers['sec-fetch-dest'];
  if (mode !== undefined && mode !== 'navigate') return 'It was not asked for as a page';
  if (destination !== undefined && destination !== 'document')
    return 'It was not asked for as a page';
  return null;
}

/** Why a reply is refused, or null. It has to come from the page itself: another site can make a browser post a form. */
export function refusalOfReply(headers: IncomingHttpHeaders, origin: string): string | null {
  if (headers.origin !== origin) return 'It does not come from this page';
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return 'It does not come from this page';
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/x-www-form-urlencoded' ? null : 'It is no form';
}
