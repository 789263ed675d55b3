import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { z } from 'zod';
import type { Channel, ChannelDefinition } from '../../src/core/channel.ts';
import { hasAbility } from '../../src/delivery/running-channel.ts';
import type { Notification } from '../../src/core/notification.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { displayLine, displayText } from '../../src/text/sanitize.ts';
import { sendContext } from '../support/channel-dependencies.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { sampleNotification } from '../support/sample.ts';

/** Put this into the secret options of the channel under test: the suite looks for it wherever it must not be. */
export const seededSecret = 'seeded-secret-4f9c1d7be2';

/** What one notification became on the far side. */
export interface Arrival {
  /** All a reader gets to see, with the channel's escaping undone; the title and the body are in it. */
  readonly shown: string;
  /**
   * The structure without the texts, as one string: names and number of headers, number of arguments, tags, blocks,
   * links, mentions. Hostile text must not change it.
   */
  readonly shape: string;
}

/** A fresh channel and its far side (a server, a recorder, a directory); disposed of after each test. */
export interface Stage extends AsyncDisposable {
  readonly channel: Channel;
  /** Takes what arrived since the last call, oldest first. */
  arrivals(): Promise<readonly Arrival[]>;
  /**
   * From now on the far side accepts a notification and never responds. `reached` settles once a send hangs there.
   * Leave it out where nothing can hang.
   */
  hang?(): { readonly reached: Promise<unknown> };
  /** From now on every delivery fails; the far side repeats the secret it received in its error. */
  break?(): Promise<void>;
}

/**
 * The contract of every channel (src/core/channel.ts), proven on a real one. Call it first in a channel's test file,
 * at top level, then add what is particular to the channel.
 *
 * @param open makes a stage; `seededSecret` belongs into each option of the channel that holds a secret
 * @param textsOf what must arrive of a notification, for a channel that shows less than its title and body
 * @example channelConformance(slack, async () => openSlackStage(seededSecret));
 */
export function channelConformance(
  definition: ChannelDefinition,
  open: () => Promise<Stage>,
  textsOf: (notification: Notification) => readonly string[] = ({ title, body }) => [title, body],
): void {
  const { type } = definition;
  describe(`${type}: the contract of a channel`, { timeout: 60_000 }, () => {
    test(`${type}: its options are strict and each is described`, () => {
      const schema = z
        .object({
          additionalProperties: z.literal(false),
          properties: z.record(z.string(), z.looseObject({ description: z.string().min(1) })),
        })
        .safeParse(z.toJSONSchema(definition.options, { io: 'input' }));

      assert.equal(schema.error, undefined);
    });

    test(`${type}: its limits let something through`, () => {
      const { timeoutMs, concurrency, burst, refillMs, maxAttempts } = definition.limits;

      assert.ok(Math.min(timeoutMs, concurrency, burst, maxAttempts) >= 1);
      assert.ok(refillMs >= 0);
      assert.notEqual(definition.summary, '');
    });

    test(`${type}: its methods match the abilities it declares`, async () => {
      await using stage = await open();
      const { channel } = stage;
      const { can } = definition;

      for (const [ability, method] of [
        ['update', 'update'],
        ['withdraw', 'withdraw'],
        ['mark-acknowledged', 'markAcknowledged'],
      ] as const) {
        const has = hasAbility({ can, channel }, ability);
        if (has) assert.ok(channel[method] !== undefined, `${ability} is declared`);
        if (channel[method] !== undefined) assert.ok(can[ability] !== undefined, ability);
      }
      const undeclared = channel.lacks?.filter((ability) => can[ability] === undefined) ?? [];
      assert.deepEqual(undeclared, []);
    });

    test(`${type}: delivers title and body, once`, async () => {
      await using stage = await open();
      const notification = sampleNotification({
        title: 'shop: may I run the tests?',
        body: 'npm test\nin /home/dev/shop',
      });

      const outcome = await send(stage, notification);

      assert.equal(outcome.type, 'delivered', inspect(outcome));
      const [arrival, ...more] = await stage.arrivals();
      assert.deepEqual(more, []);
      assertShown(arrival, textsOf(notification));
    });

    test(`${type}: finds a message without its reference, to withdraw or change it`, async () => {
      await using stage = await open();
      const { channel } = stage;
      if (channel.find === undefined) return;
      const notification = sampleNotification();
      await send(stage, notification);
      await stage.arrivals();

      const found = await channel.find(notification, sendContext());

      assert.equal(found.type, 'delivered', inspect(found));
      const canChange = channel.withdraw !== undefined || channel.update !== undefined;
      assert.ok(canChange, 'what is found can be withdrawn or changed');
    });

    test(`${type}: hostile text stays text (T5-T9, fault 52)`, async () => {
      await using stage = await open();
      await send(stage, filledWith('harmless'));
      const [harmless] = await stage.arrivals();

      for (const text of hostileTexts) {
        const notification = filledWith(text);

        const outcome = await send(stage, notification);

        assert.equal(outcome.type, 'delivered', `${inspect(text)} gave ${inspect(outcome)}`);
        const [arrival, ...more] = await stage.arrivals();
        assert.deepEqual(more, []);
        assert.equal(arrival?.shape, harmless?.shape, `${inspect(text)} changed the structure`);
        assertShown(arrival, textsOf(notification));
      }
    });

    test(`${type}: unsanitized text neither throws nor breaks the channel (P10, P41)`, async () => {
      await using stage = await open();

      for (const text of hostileTexts) {
        await send(stage, sampleNotification({ title: text, body: text, sessionTitle: text }));
      }

      await stage.arrivals();
      assert.equal((await send(stage, sampleNotification())).type, 'delivered');
      assert.equal((await stage.arrivals()).length, 1);
    });

    test(`${type}: over-long text is cut between graphemes and says so`, async () => {
      await using stage = await open();
      const family = '👨‍👩‍👧‍👦';
      const sent = 20_000;
      const notification = sampleNotification({
        title: family.repeat(1_000),
        body: family.repeat(sent),
      });

      const outcome = await send(stage, notification);

      assert.equal(outcome.type, 'delivered', inspect(outcome));
      const [arrival] = await stage.arrivals();
      const shown = arrival?.shown ?? '';
      assert.ok(shown.isWellFormed());
      if (!textsOf(notification).some((text) => text.includes(family))) return;
      assert.ok(shown.includes(family));
      assert.doesNotMatch(shown.replaceAll(family, ''), /[👨👩👧👦\u200d]/u);
      if (shown.split(family).length - 1 < sent) assert.match(shown, /…/);
    });

    test(`${type}: sends nothing when its signal has fired already`, async () => {
      await using stage = await open();

      const outcome = await send(stage, sampleNotification(), AbortSignal.abort());

      assert.equal(outcome.type, 'retry');
      assert.notEqual(outcome.type === 'retry' && outcome.possibleDuplicate, true);
      assert.deepEqual(await stage.arrivals(), []);
    });

    test(`${type}: a hanging far side is left at the deadline, and nothing stays open (P11, P21, P31)`, async () => {
      const before = openResources();
      {
        await using stage = await open();
        const hanging = stage.hang?.();
        const deadline = new AbortController();

        const outcome = send(stage, sampleNotification(), deadline.signal);
        await hanging?.reached;
        // Where nothing can hang, what was sent has arrived.
        if (hanging === undefined) await outcome;
        deadline.abort();

        const grace = delay(10_000, null, { ref: false });
        const wanted = hanging === undefined ? 'delivered' : 'retry';
        assert.equal((await Promise.race([outcome, grace]))?.type, wanted);
        await stage.channel.close();
      }
      assert.deepEqual(await leftOpen(before), []);
    });

    test(`${type}: no secret in an outcome, in a check or in the channel itself (T12, fault 55)`, async () => {
      await using stage = await open();
      const { channel } = stage;
      const healthy = [await send(stage, sampleNotification()), await check(channel)];

      await stage.break?.();
      const broken = [await send(stage, sampleNotification()), await check(channel)];

      if (stage.break !== undefined) assert.notEqual(broken[0]?.type, 'delivered');
      const seen = inspect([healthy, broken, channel], { depth: 10, showHidden: true });
      assert.equal(seen.includes(seededSecret), false, seen);
    });

    test(`${type}: check says ok when it can send`, async () => {
      await using stage = await open();

      const result = await stage.channel.check(AbortSignal.timeout(10_000));

      assert.equal(result.ok, true, inspect(result));
      assert.doesNotMatch(result.summary, /^$|\n/);
    });

    test(`${type}: close can be called twice`, async () => {
      await using stage = await open();
      await send(stage, sampleNotification());

      await stage.channel.close();
      await stage.channel.close();
    });
  });
}

/** Sends one notification as the delivery worker does; a rejection of it fails the test. */
export function send(
  stage: Pick<Stage, 'channel'>,
  notification: Notification,
  signal: AbortSignal = new AbortController().signal,
): Promise<Outcome> {
  return stage.channel.send(notification, sendContext({ signal }));
}

async function check(channel: Channel): Promise<{ type: 'check'; summary: string; hint?: string }> {
  return { type: 'check', ...(await channel.check(AbortSignal.timeout(10_000))) };
}

/** One text in every field that can hold foreign text, cleaned as the contract of `Notification` says. */
function filledWith(text: string): Notification {
  const line = displayLine(text) || 'empty';
  return sampleNotification({
    title: `shop: ${line}`,
    body: displayText(text) || 'empty',
    event: line,
    project: line,
    sessionId: line,
    sessionTitle: line,
    computer: line,
    groupKey: `claude:${line}`,
  });
}

function assertShown(arrival: Arrival | undefined, texts: readonly string[]): void {
  const shown = oneLine(arrival?.shown ?? '');
  for (const text of texts) {
    assert.ok(shown.includes(oneLine(text)), `${inspect(text)} is missing in ${inspect(shown)}`);
  }
}

/** Where a channel has only one line, "·" separates what was on several. */
function oneLine(text: string): string {
  return text.replace(/[\s·]+/g, ' ').trim();
}

/** What keeps the process alive, by kind; timers of the test runner and of this file come and go, so they do not count. */
function openResources(): readonly string[] {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout');
}

/** The kinds of which more are open than before, after giving closed sockets and children a while to go. */
async function leftOpen(before: readonly string[]): Promise<readonly string[]> {
  let left: readonly string[] = [];
  for (let tries = 0; tries < 300; tries += 1) {
    left = surplus(openResources(), before);
    if (left.length === 0) break;
    await delay(10);
  }
  return left;
}

function surplus(now: readonly string[], before: readonly string[]): readonly string[] {
  const unmatched = [...before];
  return now.filter((kind) => {
    const match = unmatched.indexOf(kind);
    if (match >= 0) unmatched.splice(match, 1);
    return match < 0;
  });
}
