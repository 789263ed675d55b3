import type { Config } from '../../config/config.ts';
import type { ListenAddress } from '../../config/endpoint-schema.ts';
import type { SecretReference } from '../../core/channel.ts';
import type { HubDirectory } from '../../hub/directory.ts';
import type { ReadTeamOptions } from './read-team.ts';
import { createEndpointHolder, type EndpointBase } from '../endpoint-holder.ts';

interface TeamPageEndpointOptions
  extends Pick<ReadTeamOptions, 'store' | 'redact' | 'now'>, EndpointBase {
  readonly config: () => Config;
  /** Null: this daemon is not a process of a hub. */
  readonly hub: { readonly directory: Pick<HubDirectory, 'person' | 'personOf'> } | null;
  readonly readSecret: (reference: SecretReference) => Promise<string>;
}

type HubPage = NonNullable<NonNullable<Config['hub']>['page']>;

/** The page of a hub, if configured. */
export function createTeamPageEndpoint(options: TeamPageEndpointOptions) {
  const { config, hub, readSecret } = options;
  const ownerOf: ReadTeamOptions['ownerOf'] = (machine) => hub?.directory.personOf(machine) ?? null;
  let opening = 0;
  const holder = createEndpointHolder<
    ListenAddress & { readonly page: HubPage; readonly opening: number }
  >({
    ...options,
    name: 'hub.page',
    title: 'The page of the hub',
    defaultPort: 0,
    open: async ({ host, port, page }) => {
      const [{ serveTeamPage }, { readTeam }] = await Promise.all([
        import('../../page/team-page.ts'),
        import('./read-team.ts'),
      ]);
      return serveTeamPage(
        { host, port },
        {
          ...options,
          ...page,
          secret: await readSecret(page.secret),
          member: (email) => hub?.directory.person(email) ?? null,
          read: (member, days) =>
            readTeam(member, days, { ...options, shows: page.shows, ownerOf }),
        },
      );
    },
  });

  /** Takes a new configuration. Never rejects. */
  async function reconfigure(): Promise<void> {
    const page = config().hub?.page ?? null;
    await holder.reconfigure(
      page === null || hub === null ? null : { ...page.listen, page, opening },
    );
  }

  return {
    view: () => holder.view(),
    reconfigure,
    /** The secret may have changed: opens the page with the new one. */
    renew() {
      opening += 1;
      return reconfigure();
    },
    start: reconfigure,
    stop: () => holder.stop(),
  };
}
