import slack from '../../../src/channels/slack/index.ts';
import { channelConformance } from '../conformance.ts';
import { httpConformance } from '../http-conformance.ts';
import { openSlackStage } from './slack-stage.ts';

// Of the 2xx only 200 came with "ok" (P32).
const withoutOk = Object.fromEntries(
  Array.from({ length: 99 }, (_, index) => [201 + index, 'retry']),
);

channelConformance(slack, openSlackStage);
httpConformance('slack', openSlackStage, withoutOk);
