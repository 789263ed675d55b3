import { type Client, planRequest, routes, writableTags } from '../../../vendor/client/index.ts';
import { UsageError } from '../../../platform/errors.ts';
import type { DefineCommand } from '../../context.ts';
import { collect } from '../../option-values.ts';
import { defineDerived, defineRemote } from '../define-remote.ts';
import { defineWatch } from '../watch-session.ts';
import { readFields } from '../column.ts';

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
  defineDerived(session, run);
  defineWatch(session, run);
  defineRemote<SetOptions>(session, run, {
    words: 'set <session>',
    description: 'change settings of a session; others keep their values',
    route: routes['sessions.update'],
    configure: (command) =>
      command
        .option('--model <id>', 'set the model')
        .option('--spec-mode-model <id>', 'set the model for planning')
        .option('--archive', 'archive the session')
        .option('--tag <name>', 'add a tag; may be repeated', collect)
        .option('--untag <name>', 'remove a tag; may be repeated', collect)
        .option('--set <key=value>', 'set any other setting; the value is JSON', collect),
    parameters: async ([sessionId = ''], options, api) => {
      const settings = settingsOf(options);
      const isTagged = changesTags(options);
      const changes = (tags: readonly object[]) => {
        return { sessionId, sessionSettings: { ...settings, ...(isTagged && { tags }) } };
      };
      // Refuse before sending anything, the look-up of the tags included.
      planRequest('sessions.update', changes([]));
      return changes(isTagged ? await newTags(api, sessionId, options) : []);
    },
  });
};

function settingsOf({ model, specModeModel, archive, set = [] }: SetOptions): object {
  for (const [option, value] of Object.entries({
    '--model': model,
    '--spec-mode-model': specModeModel,
  })) {
    if (value?.trim() !== '') continue;
    throw new UsageError(`${option} is empty, expected a model id`, {
      hint: 'To set an empty string on purpose: --set \'model=""\'',
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
  if (both !== undefined)
    throw new UsageError(`Tag "${both}" cannot be added and removed together`);
  return tag.length + untag.length > 0;
}

/** The service replaces all tags, so the existing ones are sent back with the new ones. */
async function newTags(
  api: Client,
  sessionId: string,
  { tag = [], untag = [] }: SetOptions,
): Promise<readonly object[]> {
  const { sessionSettings } = await api.sessions.get({ sessionId });
  const rest = (sessionSettings?.tags ?? []).filter(({ name }) => !untag.includes(name ?? ''));
  const names = new Set(rest.map(({ name }) => name));
  const added = tag.filter((name) => !names.has(name)).map((name) => ({ name }));
  // The interface requires metadata, so tags without it are sent with an empty object.
  return writableTags([...rest, ...added]);
}
