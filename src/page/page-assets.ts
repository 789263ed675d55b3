import { sha256 } from '../platform/crypto.ts';
import { pageScript } from './page-script.ts';
import { pageStyle } from './page-style.ts';

/** A file that everyone may read: it is the same for all. */
export interface PageAsset {
  readonly type: string;
  readonly content: string | Uint8Array;
  /** Whether its name changes with its content. */
  readonly isPermanent: boolean;
}

/** A bell on a hook. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#1b2430"/><path d="M32 12a13 13 0 0 0-13 13v9l-4 7a2 2 0 0 0 2 3h30a2 2 0 0 0 2-3l-4-7v-9a13 13 0 0 0-13-13z" fill="#fff"/><path d="M26 48a6 6 0 0 0 12 0z" fill="#fff"/><circle cx="46" cy="18" r="9" fill="#f0a040" stroke="#1b2430" stroke-width="3"/></svg>`;

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
    { src: 'icon.svg', sizes: '192x192 512x512', type: 'image/svg+xml', purpose: 'maskable' },
  ],
};

export const STYLE_PATH = `style-${sha256(pageStyle).slice(0, 12)}.css`;
export const SCRIPT_PATH = `script-${sha256(pageScript).slice(0, 12)}.js`;

/** The files of the page, by name. */
export const pageAssets: ReadonlyMap<string, PageAsset> = new Map([
  [STYLE_PATH, { type: 'text/css; charset=utf-8', content: pageStyle, isPermanent: true }],
  [SCRIPT_PATH, { type: 'text/javascript; charset=utf-8', content: pageScript, isPermanent: true }],
  ['icon.svg', { type: 'image/svg+xml', content: icon, isPermanent: false }],
  [
    'manifest.webmanifest',
    {
      type: 'application/manifest+json',
      content: JSON.stringify(manifest),
      isPermanent: false,
    },
  ],
]);
