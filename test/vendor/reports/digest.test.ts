import assert from 'node:assert/strict';
import { test } from 'node:test';

import { routes } from '../../../src/vendor/client/index.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import { noAudit } from '../../../src/vendor/reports/digest-audit.ts';
import type { Block, Digest } from '../../../src/vendor/reports/digest-blocks.ts';
import { digestHtml, digestText } from '../../../src/vendor/reports/digest-html.ts';
import { createDigest, type DigestRows } from '../../../src/vendor/reports/digest-report.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { sampleDigest } from '../../support/sample-digest.ts';

const DAY = '2026-04-17';
const WEEK_BEFORE = '2026-04-10';
const options = {
  every: 'day',
  users: false,
  rate: null,
  own: null,
  waiting: null,
  audit: noAudit,
  redactor: createRedactor({ prefixes: ['acme_'], keys: [] }),
} as const;

interface RawRows {
  readonly tokens?: readonly object[];
  readonly tools?: readonly object[];
  readonly activity?: readonly object[];
  readonly productivity?: readonly object[];
}

/** Rows as the service sends them, read by the client's own schemas. */
function rowsOf({
  tokens = [],
  tools = [],
  activity = [],
  productivity = [],
}: RawRows): DigestRows {
  const meta = {};
  return {
    tokens: routes['analytics.tokens'].response.parse({ data: tokens, meta }).data,
    tools: routes['analytics.tools'].response.parse({ data: tools, meta }).data,
    activity: routes['analytics.activity'].response.parse({ data: activity, meta }).data,
    productivity: routes['analytics.productivity'].response.parse({ data: productivity, meta })
      .data,
  };
}

function blocksOf(digest: Digest, title: RegExp): readonly Block[] {
  return digest.sections.find((section) => title.test(section.title))?.blocks ?? [];
}

function figuresOf(digest: Digest, title: RegExp): Record<string, string> {
  const figures = blocksOf(digest, title).flatMap((block) =>
    block.type === 'figures' ? block.figures : [],
  );
  return Object.fromEntries(
    figures.map(({ label, value, change }) => [
      label,
      change === null ? value : `${value} ${change}`,
    ]),
  );
}

function barsOf(digest: Digest, heading: RegExp): readonly string[] {
  return digest.sections
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.type === 'bars' && heading.test(block.title) ? block.bars : []))
    .map(({ label, value }) => `${label} ${value}`);
}

function digestWithSkill(name: string): Digest {
  const tools = [{ date: DAY, skills_by_name: [{ name, count: 1 }] }];
  return createDigest(rowsOf({ tools }), DAY, options);
}

function countTags(digest: Digest): number {
  return digestHtml(digest).match(/<[a-z/!]/gi)?.length ?? 0;
}

function countLines(digest: Digest): number {
  return digestText(digest).split('\n').length;
}

test('createDigest() compares a day with the same day of the week before', () => {
  const digest = createDigest(
    rowsOf({
      tokens: [
        { date: DAY, billable_tokens: 150 },
        { date: '2026-04-16', billable_tokens: 1 },
        { date: WEEK_BEFORE, billable_tokens: 100 },
      ],
    }),
    DAY,
    options,
  );

  assert.deepEqual(figuresOf(digest, /credits/), { 'standard credits': '150 +50 %' });
});

test('createDigest() compares nothing with a week that is not complete, and says which days are missing', () => {
  const tokens = [
    { date: DAY, billable_tokens: 10 },
    { date: '2026-04-15', billable_tokens: 10 },
  ];

  const digest = createDigest(rowsOf({ tokens }), DAY, { ...options, every: 'week' });

  assert.deepEqual(figuresOf(digest, /credits/), { 'standard credits': '20' });
  assert.deepEqual(digest.remarks, [
    'No data yet, not in the sums: 2026-04-11, 2026-04-12, 2026-04-13, 2026-04-14, 2026-04-16 (UTC)',
  ]);
});

for (const { what, raw, title, figures } of [
  {
    what: 'a day without rows',
    raw: { tokens: [{ date: WEEK_BEFORE, billable_tokens: 100 }] },
    title: 'not available yet',
    figures: { 'standard credits': 'not available yet' },
  },
  {
    what: 'a day that is all zero because its batch has not run',
    raw: {
      tokens: [
        { date: DAY, billable_tokens: 0 },
        { date: WEEK_BEFORE, billable_tokens: 100 },
      ],
      activity: [{ date: DAY, sessions: 0 }],
    },
    title: 'not available yet',
    figures: { 'standard credits': 'not available yet' },
  },
  {
    what: 'a day of which the activity is late',
    raw: { tokens: [{ date: DAY, billable_tokens: 7 }] },
    title: '7 standard credits, sessions not available yet',
    figures: { 'standard credits': '7' },
  },
]) {
  test(`createDigest() says "not available yet" of ${what}, and neither zero nor -100 % (acceptance 088, A20, C8)`, () => {
    const rate = { price: 2, per: 1, currency: 'EUR' };

    const digest = createDigest(rowsOf(raw), DAY, options);
    const priced = createDigest(rowsOf(raw), DAY, { ...options, rate });

    assert.equal(digest.title, `Agents on ${DAY} (UTC): ${title}`);
    assert.deepEqual(figuresOf(digest, /credits/), figures);
    assert.doesNotMatch(digestText(priced), /-100 %|(?<!\d)0 |0\.00/);
  });
}

test('createDigest() says of how many days a week is the sum where some are missing (acceptance 088, C8)', () => {
  const rows = {
    tokens: [{ date: DAY, billable_tokens: 20 }],
    activity: [{ date: DAY, sessions: 2 }],
  };

  const { title } = createDigest(rowsOf(rows), DAY, { ...options, every: 'week' });

  assert.match(title, /: 20 standard credits, 2 sessions; data of 1 of 7 days$/);
});

test('createDigest() takes people from the service and adds up neither days nor trailing windows (acceptance 069)', () => {
  const day = {
    daily_active_users: 5,
    weekly_active_users: 8,
    monthly_active_users: 9,
    sessions: 3,
  };
  const activity = [DAY, '2026-04-16', '2026-04-15'].map((date) => ({ date, ...day }));

  const digest = createDigest(rowsOf({ activity }), DAY, { ...options, every: 'week' });

  assert.deepEqual(figuresOf(digest, /Activity/), {
    [`active users on ${DAY}`]: '5',
    'in the last 7 days': '8',
    'in the last 30 days': '9',
    sessions: '9',
    messages: '0',
  });
});

test('createDigest() never adds clients up into users: who was on two counts once (acceptance 067)', () => {
  const activity = [
    {
      date: DAY,
      daily_active_users: 4,
      daily_active_users_by_client: { 'terminal-ui': 3, web: 3, 'some-new-client': 1 },
    },
  ];

  const digest = createDigest(rowsOf({ activity }), DAY, options);

  assert.equal(figuresOf(digest, /Activity/)[`active users on ${DAY}`], '4');
  assert.deepEqual(barsOf(digest, /where/), ['Terminal 3', 'Web 3', 'some-new-client 1']);
});

test('createDigest() merges MCP servers that differ in case, and puts odd tool names together (acceptance 061, 062)', () => {
  const tools = [
    {
      date: DAY,
      tool_calls: 9,
      mcp_by_server: [
        { server: 'GitHub', invocations: 5 },
        { server: 'github', invocations: 2 },
      ],
      by_tool: [
        { tool: 'Read', invocations: 8 },
        { tool: '</parameter>\n<b>', invocations: 1 },
      ],
      hooks_by_event: [{ event: 'Stop', matcher: '', command: 'notify --token s3cr3t', count: 4 }],
    },
  ];

  const digest = createDigest(rowsOf({ tools }), DAY, options);

  assert.deepEqual(barsOf(digest, /MCP/), ['GitHub 7']);
  assert.deepEqual(barsOf(digest, /^tools/), ['Read 8', 'other (1) 1']);
  assert.deepEqual(barsOf(digest, /^hooks/), ['Stop 4']);
  assert.doesNotMatch(digestHtml(digest), /s3cr3t/);
});

test('digestHtml() leaves a gap for a day that is not known, and draws one of nothing (acceptance 088)', () => {
  const tokens = [
    { date: DAY, billable_tokens: 150 },
    { date: '2026-04-16', billable_tokens: 0 },
  ];

  const html = digestHtml(createDigest(rowsOf({ tokens }), DAY, options));

  assert.equal(html.match(/>\?<\/span>/g)?.length, 26);
});

test('a digest shows no secret that is the name of a skill', () => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

  const digest = digestWithSkill(secret);

  assert.match(digestText(digest), /redacted/);
  assert.ok(!digestHtml(digest).includes(secret));
});

test('a digest shows no name that begins like a token of the configuration', () => {
  const digest = digestWithSkill('acme_0123456789abcdef');

  assert.doesNotMatch(digestText(digest) + digestHtml(digest), /0123456789abcdef/);
});

test('a digest names people only when asked', async () => {
  const [without, named] = await Promise.all([sampleDigest(), sampleDigest({ users: true })]);

  assert.doesNotMatch(digestHtml(without) + digestText(without), /@example\.com/);
  assert.match(digestText(named), /- ada@example\.com: [\d,]+ \(\d+ %\)/);
});

test('a digest speaks of money only with a rate, and of standard credits otherwise (acceptance 050)', async () => {
  const rate = { price: 2, per: 1_000_000, currency: 'EUR' };
  const [without, priced] = await Promise.all([sampleDigest(), sampleDigest({ rate })]);

  assert.doesNotMatch(digestText(without), /EUR|estimate|tokens/);
  assert.match(digestText(priced), /\d\.\d\d EUR \(estimate\)/);
});

test('a digest shows what hookbell itself did, and omits it if the service could not be queried', async () => {
  const [told, untold] = await Promise.all([sampleDigest(), sampleDigest({ own: null })]);

  assert.match(digestText(told), /61 questions sent · 58 answered/);
  assert.doesNotMatch(digestText(untold), /ON THIS MACHINE/);
});

test('a digest shows how long agents waited for people, by project and day by day, or omits it', async () => {
  const [told, untold] = await Promise.all([sampleDigest(), sampleDigest({ waiting: null })]);

  const text = digestText(told);
  assert.match(text, /WAITING FOR PEOPLE\n[^\n]* until answers \(-\d+ %\) · [^\n]* median · /);
  assert.match(text, /until answers, by project:\n- shop: /);
  assert.match(text, /brought back by:\n- /);
  assert.match(digestHtml(told), /until answers, day by day/);
  assert.doesNotMatch(digestText(untold), /WAITING/);
});

test('digestHtml() has tables and inline styles alone: no image, no script, nothing from elsewhere', async () => {
  const html = digestHtml(await sampleDigest());

  assert.doesNotMatch(html, /<(?:img|script|svg|link|iframe|object|form)\b|https?:|url\(|@import/i);
  assert.match(html, /<table role="presentation"/);
});

test('digestHtml() and digestText() let no foreign name out of its place (acceptance 062)', () => {
  const plain = digestWithSkill('x');

  for (const [index, name] of hostileTexts.entries()) {
    const digest = digestWithSkill(name);

    assert.equal(countTags(digest), countTags(plain), `text ${index}`);
    assert.equal(countLines(digest), countLines(plain), `text ${index}`);
  }
});

test('createDigest() makes something readable of nothing at all', () => {
  const digest = createDigest(rowsOf({}), DAY, options);

  // The title said 0 credits and 0 sessions before, against statement 088 (C8).
  assert.equal(
    digestText(digest),
    `Agents on ${DAY} (UTC): not available yet\nNo data yet, not in the sums: ${DAY} (UTC)`,
  );
});
