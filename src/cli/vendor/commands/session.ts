import { type Client, planRequest, writableTags } from '../../../vendor/client/index.ts';
import { UsageError } from '../../../platform/errors.ts';
import type { DefineCommand } from '../../context.ts';
import { collect } from '../../option-values.ts';
import { defineRemote } from '../define-remote.ts';
import { defineWatch } from '../define-watch.ts';
import { readFields } from '../column.ts';

interface GetOptions {
  readonly computer?: string;
}

interface SetOptions {
  readonly model?: string;
  readonly specModeModel?: string;
  readonly archive?: boolean;
  readonly tag?: readonly string[];
  readonly untag?: readonly string[];
  readonly set?: readonly string[];
}

/** `hookbell service sessions`: the sessions the service knows. */
export const defineServiceSessions: DefineCommand = (program, run) => {
  const session = program
    .command('sessions')
    .description('list, show and change the sessions the service knows');
  defineRemote<GetOptions>(session, run, {
    words: 'list',
    description: 'the sessions, the most recent first',
    id: 'sessions.list',
    configure: (command) => command.option('--computer <id>', 'ask this computer directly'),
    parameters: (_, { computer: computerId }) => ({ computerId }),
  });
  defineRemote<GetOptions>(session, run, {
    words: 'get <session>',
    description: 'one session, by its id',
    id: 'sessions.get',
    configure: (command) => command.option('--computer <id>', 'ask this computer directly'),
    parameters: ([sessionId], { computer: computerId }) => ({ sessionId, computerId }),
  });
  defineWatch(session, run);
  defineRemote<SetOptions>(session, run, {
    words: 'set <session>',
    description: 'change settings of a session; those not named stay as they are',
    id: 'sessions.update',
    configure: (command) =>
      command
        .option('--model <id>', 'another model')
        .option('--spec-mode-model <id>', 'another model for planning')
        .option('--archive', 'archive it, as of now')
        .option('--tag <name>', 'add a tag; may be repeated', collect)
        .option('--untag <name>', 'take a tag away; may be repeated', collect)
        .option('--set <key=value>', 'any other setting, its value as JSON', collect),
    parameters: async ([sessionId = ''], options, api) => {
      const sessionSettings = { ...settingsOf(options) };
      // Refused before anything is sent, the look-up of the tags included.
      const tags = changesTags(options) ? { tags: [] } : {};
      planRequest('sessions.update', {
        sessionId,
        sessionSettings: { ...sessionSettings, ...tags },
      });
      if (!changesTags(options)) return { sessionId, sessionSettings };
      return {
        sessionId,
        sessionSettings: { ...sessionSettings, tags: await newTags(api, sessionId, options) },
      };
    },
  });
};

function settingsOf({ model, specModeModel, archive, set = [] }: SetOptions): object {
  for (const [option, value] of Object.entries({
    '--model': model,
    '--spec-mode-model': specModeModel,
  })) {
    if (value?.trim() !== '') continue;
    throw new UsageError(`${option} is empty, expected the id of a model`, {
      hint: 'To set an empty text on purpose: --set \'model=""\'',
    });
  }
  return {
    ...readFields(set.map((text) => ({ text, isTyped: true }))),
    ...(model !== undefined && { model }),
    ...(specModeModel !== undefined && { specModeModel }),
    ...(archive === true && { archivedAt: new Date().toISOString() }),
  };
}

function changesTags({ tag = [], untag = [] }: SetOptions): boolean {
  const both = tag.find((name) => untag.includes(name));
  if (both !== undefined) throw new UsageError(`Tag "${both}" is to be added and taken away`);
  return tag.length + untag.length > 0;
}

/** The service takes all tags or none, so those there are go back with the new ones. */
async function newTags(
  api: Client,
  sessionId: string,
  { tag = [], untag = [] }: SetOptions,
): Promise<readonly object[]> {
  const { sessionSettings } = await api.sessions.get({ sessionId });
  const kept = (sessionSettings?.tags ?? []).filter(({ name }) => !untag.includes(name ?? ''));
  const names = new Set(kept.map(({ name }) => name));
  const added = tag.filter((name) => !names.has(name)).map((name) => ({ name }));
  // A tag has metadata in the interface, so those without any go out with an empty one.
  return writableTags([...kept, ...added]);
}
