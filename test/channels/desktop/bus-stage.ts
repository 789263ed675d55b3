import desktop from '../../../src/channels/desktop/index.ts';
import type { Channel, ChannelDependencies } from '../../../src/core/channel.ts';
import { channelDependencies } from '../../support/channel-dependencies.ts';
import type { NotificationServer, NotifyCall } from '../../support/notification-server.ts';
import { startNotificationServer } from '../../support/notification-server.ts';
import type { Arrival, Stage } from '../conformance.ts';

/** Creates the channel as the daemon does from what a user wrote. */
export function createDesktop(
  options: Record<string, unknown> = {},
  dependencies: Partial<ChannelDependencies> = {},
): Promise<Channel> {
  return desktop.create(desktop.options.parse(options), channelDependencies(dependencies));
}

export interface BusStage extends Stage {
  readonly server: NotificationServer;
}

/** A desktop channel and a notification server on a private bus. */
export async function openBusStage(
  options: Record<string, unknown> = {},
  capabilities?: readonly string[],
): Promise<BusStage> {
  const server = await startNotificationServer(capabilities);
  const channel = await createDesktop(options, { env: busEnvironment(server) });
  let taken = 0;
  return {
    channel,
    server,
    arrivals: () => {
      const fresh = server.calls.slice(taken);
      taken = server.calls.length;
      return Promise.resolve(fresh.map(arrivalOf));
    },
    hang: () => server.hang(),
    break: () => server.leave(),
    async [Symbol.asyncDispose]() {
      await channel.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** What the daemon's environment holds of the desktop. */
export function busEnvironment({
  address,
}: NotificationServer): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], DBUS_SESSION_BUS_ADDRESS: address };
}

function arrivalOf({ appName, icon, actions, hints, title, body }: NotifyCall): Arrival {
  const hasMarkup = /[<>]|&(?!(?:lt|gt|amp);)/.test(body);
  const shape = [appName, icon, actions, Object.keys(hints), hasMarkup];
  return { shown: `${title}\n${unescapeMarkup(body)}`, shape: JSON.stringify(shape) };
}

function unescapeMarkup(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
