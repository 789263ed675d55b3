import { once, EventEmitter } from 'node:events';
import type { Channel, Reaction } from '../../../src/core/channel.ts';
import type { NotificationServer } from '../../support/notification-server.ts';
import { startNotificationServer } from '../../support/notification-server.ts';
import type { Recorder } from '../../support/recorder.ts';
import { createRecorder } from '../../support/recorder.ts';
import { needs } from '../../support/system-part.ts';
import { createDesktop } from './bus-stage.ts';

const tools = ['/usr/bin/busctl', '/usr/bin/setpriv', '/usr/bin/stdbuf', '/usr/bin/notify-send'];
export const clickOptions = { skip: needs('dbus-daemon', ...tools), timeout: 20_000 };

export interface ClickStage extends AsyncDisposable {
  readonly server: NotificationServer;
  readonly channel: Channel;
  readonly reactions: readonly Reaction[];
  /** Another channel like it, as an anew started daemon has it. */
  another(): Promise<Channel>;
  /** Settles with the next reaction. */
  reacted(): Promise<unknown>;
  /** Process ids of the notify-sends that were started to show something, in order. */
  shownBy(): readonly number[];
  /** Process ids of the busctls that were started to watch the bus. */
  watchedBy(): readonly number[];
  /** All arguments that any program was started with. */
  words(): readonly string[];
}

/** A desktop channel whose real notify-send is recorded, with `lent` of the programs it takes. */
export async function openClickStage({
  lent = ['busctl', 'setpriv', 'stdbuf'],
  opener = false,
  capabilities,
}: {
  readonly lent?: readonly string[];
  /** Whether there is something that opens pages. */
  readonly opener?: boolean;
  readonly capabilities?: readonly string[];
} = {}): Promise<ClickStage> {
  const server = await startNotificationServer(capabilities);
  const programs: Recorder = await createRecorder();
  for (const name of lent.filter((one) => one !== 'busctl'))
    await programs.lend(name, `/usr/bin/${name}`);
  if (lent.includes('busctl')) {
    await programs.add('busctl', { script: 'exec /usr/bin/busctl "$@"' });
  }
  if (opener) await programs.add('xdg-open');
  await programs.add('notify-send', {
    probe: 'case "$1" in --help | --version) exec /usr/bin/notify-send "$1";; esac',
    script: 'exec /usr/bin/notify-send "$@"',
  });
  const reactions: Reaction[] = [];
  const events = new EventEmitter();
  const channels: Channel[] = [];
  async function another(): Promise<Channel> {
    const created = await createDesktop(
      { rung: 'notify-send' },
      {
        env: { PATH: programs.directory, DBUS_SESSION_BUS_ADDRESS: server.address },
        onReaction(reaction) {
          reactions.push(reaction);
          events.emit('reaction');
        },
      },
    );
    channels.push(created);
    return created;
  }
  const channel = await another();
  return {
    server,
    channel,
    reactions,
    another,
    reacted: () => once(events, 'reaction'),
    shownBy: () => programs.runs('notify-send').map(({ pid }) => pid),
    watchedBy: () =>
      programs
        .runs('busctl')
        .filter(({ arguments: words }) => words.includes('monitor'))
        .map(({ pid }) => pid),
    words: () =>
      ['notify-send', 'busctl'].flatMap((name) =>
        programs.runs(name).flatMap(({ arguments: words }) => words),
      ),
    async [Symbol.asyncDispose]() {
      for (const one of channels) await one.close();
      await programs[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
