import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  type DesktopSession,
  notificationServers,
  startDesktopSession,
} from '../support/desktop-session.ts';
import { clickOn } from '../support/screen.ts';
import type { Rows } from './answer-rows.ts';
import type { Scene } from './answer-scene.ts';
import type { Scripts } from './tools.ts';

/** What such a desktop takes. */
export const answerDesktopPrograms = [
  'dbus-daemon',
  'gdbus',
  'import',
  'xdotool',
  'Xvfb',
  notificationServers['xfce4-notifyd'],
];

/** Its second button, Allow, has a colour by which it is found on the screen. */
const ALLOW = '#12ff34';
const gtkCss = `#XfceNotifyWindow button:nth-child(2) { background: ${ALLOW}; transition: none }`;

export function startAnswerDesktop(): Promise<DesktopSession> {
  return startDesktopSession('xfce4-notifyd', { gtkCss });
}

/** Has requests shown there; before the daemon starts. */
export function notifyOnDesktop(home: string): void {
  const config = join(home, '.config/hookbell/config.yaml');
  const text = readFileSync(config, 'utf8')
    .replace('channels:\n', '$&  desktop: { type: desktop, backend: dbus }\n')
    .replace('routes:\n', '$&  - { match: { kind: waiting }, notify: [desktop] }\n');
  writeFileSync(config, text);
}

export const desktopScripts: Scripts = {
  'Make clicked': [{ run: 'touch clicked.txt' }, { say: 'Clicked is made' }],
};

export const desktopRows: Rows = {
  'a click on Allow in a notification: the command runs': async (scene) => {
    await scene.type('Make clicked');
    await scene.held();
    assert.equal(scene.made('clicked.txt'), false);

    await clickOn(ALLOW, desktopOf(scene).env);

    await scene.shows(/Clicked is made/);
    assert.ok(scene.made('clicked.txt'));
    await desktopOf(scene).popUps(0);
    const { state, outcome } = await scene.closed();
    assert.match(`${state}: ${outcome}`, /^confirmed: Allowed at .+ \(pop-up\)$/);
  },
};

function desktopOf({ desktop }: Scene): DesktopSession {
  assert.ok(desktop);
  return desktop;
}
