import type { ServerResponse } from 'node:http';

import { sha256 } from '../platform/crypto.ts';
import { pageHeaders } from '../platform/http/page-requests.ts';
import { pageIcon } from './page-icon.ts';
import { pageIconPictures } from './page-icon-pictures.ts';
import { pageScript } from './page-script.ts';
import { pageStyle } from './page-style.ts';

/** A file that everyone may read: it is the same for all. */
interface PageAsset {
  readonly type: string;
  readonly content: string | Uint8Array;
  /** Whether its name changes with its content. */
  readonly isPermanent: boolean;
}

const manifest = {
  name: 'hookbell',
  short_name: 'hookbell',
  description: 'Who waits for you, and what notified you and why',
  start_url: './',
  scope: './',
  display: 'standalone',
  background_color: '#0f1217',
  theme_color: '#0f1217',
  icons: [
    { src: 'icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    { src: 'icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: 'icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: 'icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
};

export const STYLE_PATH = `style-${sha256(pageStyle).slice(0, 12)}.css`;
export const SCRIPT_PATH = `script-${sha256(pageScript).slice(0, 12)}.js`;

/** The files of the page, by name. */
export const pageAssets: ReadonlyMap<string, PageAsset> = new Map<string, PageAsset>([
  [STYLE_PATH, { type: 'text/css; charset=utf-8', content: pageStyle, isPermanent: true }],
  [SCRIPT_PATH, { type: 'text/javascript; charset=utf-8', content: pageScript, isPermanent: true }],
  ['icon.svg', { type: 'image/svg+xml', content: pageIcon, isPermanent: false }],
  ...Object.entries(pageIconPictures).map(([size, picture]): [string, PageAsset] => [
    `icon-${size}.png`,
    { type: 'image/png', content: Buffer.from(picture, 'base64'), isPermanent: false },
  ]),
  [
    'manifest.webmanifest',
    { type: 'application/manifest+json', content: JSON.stringify(manifest), isPermanent: false },
  ],
]);

/**
 * Sends a file of the page.
 *
 * @param policy as for `pageHeaders`
 * @returns false if there is none of this name
 */
export function sendAsset(response: ServerResponse, name: string, policy: string): boolean {
  const asset = pageAssets.get(name);
  if (asset === undefined) return false;
  response.writeHead(200, {
    ...pageHeaders(policy),
    'content-type': asset.type,
    'cache-control': asset.isPermanent ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  response.end(response.req.method === 'HEAD' ? undefined : asset.content);
  return true;
}
