import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  askAgents,
  askAnswers,
  type MachineFacts,
  type GivenAnswers,
} from '../../../src/cli/init/answers.ts';
import { selectableChannels } from '../../../src/cli/init/make-plan.ts';
import { silentQuestions } from '../../../src/cli/init/terminal-questions.ts';
import { readSetting } from '../../../src/cli/init/place-secrets.ts';
import type { Prompts } from '../../../src/core/prompts.ts';
import { scriptedQuestions } from '../../support/scripted-questions.ts';

const facts: MachineFacts = {
  agents: ['droid', 'claude'],
  found: ['claude'],
  definitions: selectableChannels,
  env: {},
  hasDesktop: true,
};
const nothing: GivenAnswers = {
  agents: null,
  channels: null,
  settings: [],
  quietHours: null,
  api: null,
  apiKey: null,
};

const rest: GivenAnswers = { ...nothing, quietHours: 'none', api: 'none' };

describe('askAnswers()', () => {
  test('asks for what the chosen channels need, and for nothing else', async () => {
    const person = scriptedQuestions({
      'Where do you want notifications?': ['email', 'desktop', 'terminal'],
      recipient: 'me@example.com, you@example.com',
      'mail server': 'smtp.example.com',
      'login name': 'me',
      password: 'hunter2',
      'quiet hours': true,
      'Quiet hours, from': '22:00-07:30',
      'session titles': false,
    });

    const answers = await askAnswers(nothing, facts, person);

    assert.deepEqual(answers, {
      channels: [
        { type: 'desktop', options: {}, secrets: [] },
        { type: 'terminal', options: {}, secrets: [] },
        {
          type: 'email',
          options: {
            to: ['me@example.com', 'you@example.com'],
            smtp: { host: 'smtp.example.com', user: 'me' },
          },
          secrets: [{ path: ['smtp', 'password'], value: 'hunter2' }],
        },
      ],
      quietHours: { from: '22:00', to: '07:30' },
      api: null,
    });
    assert.equal(person.asked.length, 8);
  });

  test('lists the usual channels, and the others on demand; the desktop is chosen only where it works', async () => {
    const lists: { choices: string[]; initial: readonly string[] }[] = [];
    const person = {
      ...scriptedQuestions({}),
      several: async (question: Parameters<Prompts['several']>[0]) => {
        const { initial } = question;
        lists.push({ choices: question.choices.map(({ value }) => value), initial });
        return lists.length % 2 === 1 ? ['terminal', 'more'] : ['inbox'];
      },
    };

    const { channels } = await askAnswers(rest, { ...facts, hasDesktop: false }, person);
    await askAnswers(rest, facts, person);

    const [usual, others, again] = lists;
    assert.deepEqual(usual?.choices.at(-1), 'more');
    assert.ok((usual?.choices.length ?? 0) <= 8);
    assert.equal(
      (usual?.choices.length ?? 0) - 1 + (others?.choices.length ?? 0),
      selectableChannels.length,
    );
    assert.deepEqual([usual?.initial, again?.initial], [[], ['desktop']]);
    assert.deepEqual(
      channels.map(({ type }) => type),
      ['terminal'],
    );
  });

  test('asks for no password without a login', async () => {
    const said = { ...rest, channels: ['email'] };
    const person = scriptedQuestions({
      recipient: 'a@b.de',
      'mail server': 'mx',
      'login name': '',
    });

    const { channels } = await askAnswers(said, facts, person);

    assert.deepEqual(channels[0]?.options, { to: ['a@b.de'], smtp: { host: 'mx' } });
  });

  test('takes the port out of "host:port" (B10)', async () => {
    const said = { ...rest, channels: ['email'] };
    const person = scriptedQuestions({
      recipient: 'a@b.de',
      'mail server': 'localhost:2525',
      'login name': '',
    });

    const { channels } = await askAnswers(said, facts, person);

    const smtp = { host: 'localhost', port: 2525 };
    assert.deepEqual(channels[0]?.options, { to: ['a@b.de'], smtp });
  });

  test('asks nothing that was said or stands in the environment', async () => {
    const said: GivenAnswers = {
      agents: [],
      channels: ['slack', 'webhook', 'desktop'],
      settings: [
        'webhook.url=env:HOOK_URL',
        'webhook.allow_private=true',
        'desktop.sound=false',
        'slack.mention={critical: "<!here>"}',
      ].map(readSetting),
      quietHours: 'none',
      api: 'none',
      apiKey: null,
    };
    const env = { HOOKBELL_INIT_SLACK_WEBHOOK: 'https://hooks.slack.com/services/x' };

    const { channels, quietHours } = await askAnswers(
      said,
      { ...facts, env },
      scriptedQuestions({}),
    );

    assert.deepEqual(channels, [
      { type: 'desktop', options: { sound: false }, secrets: [] },
      {
        type: 'slack',
        options: { mention: { critical: '<!here>' } },
        secrets: [{ path: ['webhook'], value: env.HOOKBELL_INIT_SLACK_WEBHOOK }],
      },
      {
        type: 'webhook',
        options: { url: { env: 'HOOK_URL' }, allow_private: true },
        secrets: [],
      },
    ]);
    assert.equal(quietHours, null);
  });

  test('looks no titles up unless the person wants it, and asks for the address and the key then (B10)', async () => {
    const said = { ...rest, api: null, channels: ['desktop'] };
    const person = scriptedQuestions({
      'session titles': true,
      Address: 'https://api.example.com',
      'API key': 'hunter2',
    });

    const { api } = await askAnswers(said, facts, person);
    const { api: none } = await askAnswers(said, facts, silentQuestions('defaults'));
    const flags = await askAnswers(
      { ...said, api: 'https://api.example.com', apiKey: 'env:KEY' },
      facts,
      scriptedQuestions({}),
    );

    const options = { base_url: 'https://api.example.com' };
    assert.deepEqual(api, { type: 'api', options, secrets: [{ path: ['key'], value: 'hunter2' }] });
    assert.equal(none, null);
    assert.deepEqual(flags.api?.options, { ...options, key: { env: 'KEY' } });
    for (const wrong of [{ api: 'ftp://x' }, { api: 'https://x.test', apiKey: 'hunter2' }]) {
      await assert.rejects(
        askAnswers({ ...said, ...wrong }, facts, scriptedQuestions({})),
        /"--api/,
      );
    }
  });

  test('takes the place of a secret where the secret itself is asked for', async () => {
    const said = { ...rest, channels: ['slack'] };

    const { channels } = await askAnswers(
      said,
      facts,
      scriptedQuestions({ 'Slack: address': 'file:~/.secrets/mine' }),
    );

    assert.deepEqual(channels, [
      { type: 'slack', options: { webhook: { file: '~/.secrets/mine' } }, secrets: [] },
    ]);
  });

  for (const [name, said, env, message] of [
    [
      'an option of another channel',
      { settings: ['slack.x=1'] },
      {},
      /names a channel that is not chosen/,
    ],
    [
      'a secret on the command line',
      { channels: ['slack'], settings: ['slack.webhook=https://x'] },
      {},
      /^UsageError: "--set slack\.webhook" is a secret, which other users could see here$/,
    ],
    [
      'an address in the environment that is not that of Slack',
      { channels: ['slack'] },
      { HOOKBELL_INIT_SLACK_WEBHOOK: 'https://evil.test/hunter2' },
      /^UsageError: HOOKBELL_INIT_SLACK_WEBHOOK is at "evil\.test", expected hooks\.slack\.com .*\)$/,
    ],
    [
      'broken YAML',
      { channels: ['slack'], settings: ['slack.mention={'] },
      {},
      /is not valid YAML/,
    ],
  ] as const) {
    test(`refuses ${name}`, async () => {
      const { channels = ['desktop'], settings = [] } = {
        channels: undefined,
        settings: undefined,
        ...said,
      };
      const whole: GivenAnswers = {
        ...nothing,
        channels,
        settings: settings.map(readSetting),
        quietHours: 'none',
        api: 'none',
        apiKey: null,
      };

      await assert.rejects(askAnswers(whole, { ...facts, env }, scriptedQuestions({})), message);
    });
  }
});

describe('silentQuestions()', () => {
  test('has the defaults, and names what has none', async () => {
    const silent = silentQuestions('defaults');

    const agents = await askAgents(nothing, facts, silent);
    const usual = await askAnswers(nothing, facts, silent);
    const before = [...silent.unanswered()];
    await askAnswers({ ...nothing, channels: ['slack', 'file'] }, facts, silent);

    assert.deepEqual(agents, ['claude']);
    assert.deepEqual(usual.channels, [{ type: 'desktop', options: {}, secrets: [] }]);
    assert.deepEqual(before, []);
    assert.equal(silent.unanswered().length, 1);
    assert.match(
      String(silent.unanswered()[0]),
      /^--set slack\.webhook=file:PATH .*_SLACK_WEBHOOK/,
    );
  });
});
