import { test } from 'node:test';
import desktop from '../../../src/channels/desktop/index.ts';
import { needs } from '../../support/system-part.ts';
import { channelConformance } from '../conformance.ts';
import { openBusStage } from './bus-stage.ts';

const missing = needs('dbus-daemon', 'notify-send', 'busctl', 'gdbus');

for (const rung of ['notify-send', 'busctl', 'gdbus']) {
  const type = `desktop by ${rung}`;
  if (missing === false) channelConformance({ ...desktop, type }, () => openBusStage({ rung }));
  else test(`${type}: the contract of a channel`, { skip: missing });
}
