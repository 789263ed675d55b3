import assert from 'node:assert/strict';
import { test } from 'node:test';

import { renderMessage } from '../../src/channels/slack/slack-message.ts';
import { pretendSlack } from '../../src/cli/demo/pretend-slack.ts';
import { sampleNotification } from '../support/sample.ts';

test('pretendSlack() shows what people read in Slack, not how it is written on the way', async () => {
  const slack = await pretendSlack();
  const texts = { title: 'shop: Upgrade <Router> & "tests"', body: 'It said "&lt;" & went' };

  await fetch(slack.webhook, {
    method: 'POST',
    body: JSON.stringify(renderMessage(sampleNotification(texts), null)),
  });

  assert.deepEqual(slack.messages, [`${texts.title}\n${texts.body}`]);
  await slack.close();
});
