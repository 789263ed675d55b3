import { once, EventEmitter } from 'node:events';
import type { Channel, Reaction } from '../../../src/core/channel.ts';
import type { NotificationServer } from '../../support/notification-server.ts';
import { startNotificationServer } from '../../support/notification-server.ts';
import { createRecorder } from '../../support/recorder.ts';
import { needs } from '../../support/system-part.ts';
import { createDesktop } from './bus-stage.ts';

export const clickOptions = { skip: needs('dbus-daemon'), timeout: 20_000 };

export interface ClickStage extends AsyncDisposable {
  readonly server: NotificationServer;
  readonly channel: Channel;
  readonly reactions: readonly Reaction[];
  /** Another channel like it, as an anew started daemon has it. */
  another(address?: string): Promise<Channel>;
  /** Settles with the next reaction. */
  reacted(): Promise<unknown>;
}

/** A desktop channel on a bus with a notification server that can do `capabilities`. */
export async function openClickStage({
  opener = false,
  capabilities,
}: {
  /** Whether there is something that opens pages. */
  readonly opener?: boolean;
  readonly capabilities?: readonly string[];
} = {}): Promise<ClickStage> {
  const server = await startNotificationServer(capabilities);
  const programs = await createRecorder();
  if (opener) await programs.add('xdg-open');
  const reactions: Reaction[] = [];
  const events = new EventEmitter();
  const channels: Channel[] = [];
  async function another(address = server.address): Promise<Channel> {
    const created = await createDesktop(
      { backend: 'dbus' },
      {
        env: { PATH: programs.directory, DBUS_SESSION_BUS_ADDRESS: address },
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
    async [Symbol.asyncDispose]() {
      for (const one of channels) await one.close();
      await programs[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
