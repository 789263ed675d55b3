import { test } from 'node:test';
import desktop from '../../../src/channels/desktop/index.ts';
import { needs } from '../../support/system-part.ts';
import { channelConformance } from '../conformance.ts';
import { openBusStage } from './bus-stage.ts';

const missing = needs('dbus-daemon');
const type = 'desktop over D-Bus';

if (missing === false)
  channelConformance({ ...desktop, type }, () => openBusStage({ backend: 'dbus' }));
else test(`${type}: the contract of a channel`, { skip: missing });
