/**
 * The page runs no script, loads nothing, is kept nowhere and stands in no frame. Its address holds a token, so it goes to no
 * other site; `no-referrer` would make browsers send "Origin: null" with the form, which could not be told from
 * another site's (https://fetch.spec.whatwg.org/#append-a-request-origin-header).
 *
 * @param nonce for the one style sheet
 */
export function pageHeaders(nonce: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'x-robots-tag': 'noindex, nofollow',
  };
}
