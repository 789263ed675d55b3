import assert from 'node:assert/strict';
import { once, EventEmitter } from 'node:events';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import { displayLine, displayText } from '../../../src/text/sanitize.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { notificationServers, startDesktopSession } from '../../support/desktop-session.ts';
import { dunstHistory } from '../../support/dunst-history.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { reactionTo, sampleNotification } from '../../support/sample.ts';
import { needs } from '../../support/system-part.ts';
import { send } from '../conformance.ts';
import { createDesktop } from './bus-stage.ts';
import { refOf } from './ref-of.ts';

/** By which button of the mouse a click chooses the default action. */
const actingButton = { dunst: '2', 'xfce4-notifyd': '1' } as const;

const tools = ['dbus-daemon', 'gdbus', 'Xvfb', 'xdotool', 'import'];

for (const server of ['dunst', 'xfce4-notifyd'] as const) {
  const skip = needs(...tools, notificationServers[server]);

  test(
    `desktop on ${server}: one pop-up a session, replaced and withdrawn`,
    { skip, timeout: 60_000 },
    async () => {
      await using session = await startDesktopSession(server);
      const channel = await createDesktop({}, { env: session.env });

      await send({ channel }, sampleNotification({ title: 'first', groupKey: 'claude:s1' }));
      await session.popUps(1);
      await send({ channel }, sampleNotification({ title: 'other', groupKey: 'claude:s2' }));
      await session.popUps(2);
      const outcome = await send(
        { channel },
        sampleNotification({ title: '- build broke', body: 'second', groupKey: 'claude:s1' }),
      );
      await session.popUps(2);
      const picture = await session.screenshot(`desktop-${server}`);
      await channel.withdraw?.(refOf(outcome), sendContext());
      await session.popUps(1);

      assert.ok((await stat(picture)).size > 1_000);
    },
  );

  test(
    `desktop on ${server}: a picture of text that looks like options, markup and escapes`,
    { skip, timeout: 60_000 },
    async () => {
      await using session = await startDesktopSession(server);
      const channel = await createDesktop({}, { env: session.env });
      const texts = [
        '--help',
        'a &lt; b',
        '<b>x</b> & <zz>',
        String.raw`\377 \101 C:\temp`,
        '⏳ grüße 👍',
      ];

      for (const [index, text] of texts.entries()) {
        const outcome = await send(
          { channel },
          sampleNotification({ title: text, body: `${text}\nsecond line`, groupKey: text }),
        );
        assert.equal(outcome.type, 'delivered');
        await session.popUps(index + 1);
      }

      assert.ok((await stat(await session.screenshot(`desktop-${server}-texts`))).size > 1_000);
    },
  );

  test(
    `desktop on ${server}: a real click is reported, and closes the pop-up`,
    { skip, timeout: 60_000 },
    async () => {
      await using session = await startDesktopSession(server);
      const events = new EventEmitter();
      const channel = await createDesktop(
        {},
        { env: session.env, onReaction: (reaction) => events.emit('reaction', reaction) },
      );
      const notification = sampleNotification();
      await send({ channel }, notification);
      await session.popUps(1);

      const reacted = once(events, 'reaction');
      await session.press(actingButton[server]);

      assert.deepEqual(await reacted, [reactionTo(notification)]);
      await session.popUps(0);
      await channel.close();
    },
  );
}

test(
  'desktop on dunst: hostile text is shown as written (P71, T5, T6, fault 52)',
  { skip: needs(...tools, 'dunst', 'dunstctl'), timeout: 60_000 },
  async () => {
    await using session = await startDesktopSession('dunst');
    const channel = await createDesktop({}, { env: session.env });

    for (const text of hostileTexts) {
      const outcome = await send({ channel }, sampleNotification({ title: text, body: text }));
      assert.equal(outcome.type, 'delivered');
      const [latest] = await dunstHistory(session);
      assert.deepEqual(latest, {
        title: displayLine(text) || 'hookbell',
        body: displayText(text),
      });
    }
  },
);
