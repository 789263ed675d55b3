import {
  type AnyRoute,
  type Client,
  type Computer,
  NotFoundError,
  planRequest,
  routes,
} from '../../../vendor/client/index.ts';
import { displayLine } from '../../../text/sanitize.ts';
import type { CommandContext, DefineCommand, ExitCode } from '../../context.ts';
import { callAndShow } from '../collect.ts';
import { defineDerived, defineRemote } from '../define-remote.ts';
import { type ServiceAccess, withService } from '../with-client.ts';

/** `hookbell service computers`: the computers that agents run on. */
export const defineComputers: DefineCommand = (program, run) => {
  const computers = program
    .command('computers')
    .description('list and change the computers that sessions run on');
  defineDerived(computers, run);
  computers
    .command('get <computer>')
    .description('show a computer, by id or name')
    .option('--show-relay', 'print its relay addresses, which give access to it: keep them secret')
    .action(run(withService(getComputer)));
  defineRemote<{ readonly name?: string; readonly hostId?: string; readonly user?: string }>(
    computers,
    run,
    {
      words: 'set <computer>',
      description: 'change a computer, by id or name',
      route: routes['computers.update'],
      configure: (command) =>
        command
          .option('--name <name>', 'set the name, 1 to 63 characters')
          .option('--host-id <uuid>', 'set the host')
          .option('--user <name>', 'set the remote user, 1 to 63 characters'),
      parameters: async (words, { name, hostId, user: remoteUser }, api) => {
        const changes = { name, hostId, remoteUser };
        // Refuse before sending anything, the look-up included.
        planRequest('computers.update', { computerId: 'any', ...changes });
        return { ...(await idOf(words, {}, api)), ...changes };
      },
    },
  );
  defineRemote(computers, run, {
    words: 'retry <computer>',
    description: 'reinstall the dependencies of a computer, by id or name',
    route: routes['computers.installDeps'],
    parameters: idOf,
  });
};

async function getComputer(
  context: CommandContext,
  { api }: ServiceAccess,
  word: string,
  { showRelay = false }: { readonly showRelay?: boolean },
): Promise<ExitCode | void> {
  if (showRelay) return printRelay(context, await findComputer(api, word));
  const show = (route: AnyRoute, parameters: object) =>
    callAndShow(context, api, { route, parameters, extent: 1 });
  return orByName(
    () => show(routes['computers.get'], { computerId: word }),
    () => show(routes['computers.byName'], { name: word }),
  );
}

/** The only place that shows these addresses, on explicit request. */
function printRelay({ output, json }: CommandContext, computer: Computer): void {
  const [client, agent] = [computer.relayClientUrl, computer.relayAgentUrl].map(
    (address) => address?.reveal() ?? null,
  );
  if (json) return output.json({ relayClientUrl: client, relayAgentUrl: agent });
  output.line(`client  ${displayLine(client ?? '-')}`);
  output.line(`agent   ${displayLine(agent ?? '-')}`);
}

async function idOf([word = '']: readonly string[], _options: object, api: Client) {
  const { id } = await findComputer(api, word);
  return { computerId: id };
}

/** Finds a computer by an id or name typed by a person. @throws NotFoundError when it is neither */
function findComputer(api: Client, word: string): Promise<Computer> {
  return orByName(
    () => api.computers.get({ computerId: word }),
    () => api.computers.byName({ name: word }),
  );
}

function orByName<Found>(byId: () => Promise<Found>, byName: () => Promise<Found>): Promise<Found> {
  return byId().catch((error: unknown) => {
    if (error instanceof NotFoundError) return byName();
    throw error;
  });
}
