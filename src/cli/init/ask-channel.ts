import type { ChannelDefinition } from '../../core/channel.ts';
import type { Prompts } from '../../core/prompts.ts';
import { UsageError } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json.ts';
import {
  type ChannelField,
  channelFields,
  fieldFault,
  valueAt,
  withValue,
  questionFor,
} from './channel-fields.ts';
import {
  type ChannelAnswer,
  readReference,
  readValue,
  type Setting,
  settingFlag,
  settingVariable,
} from './place-secrets.ts';

/**
 * Takes the given options of a channel, and asks for the other required ones. Where none is given and a person is at the
 * terminal, a channel with a guided set-up uses that.
 *
 * @param prefix of options in the `--set` of this command: "ntfy." for "--set ntfy.topic=…"; empty for "--set topic=…"
 */
export async function askChannel(
  definition: ChannelDefinition,
  settings: readonly Setting[],
  prefix: string,
  env: Readonly<Record<string, string | undefined>>,
  questions: Prompts,
): Promise<ChannelAnswer> {
  const { type, guide } = definition;
  const fields = channelFields(definition);
  const isGiven =
    settings.length > 0 ||
    fields.some(({ path }) => (env[settingVariable(type, path)] ?? '') !== '');
  if (guide !== undefined && questions.guided !== undefined && !isGiven) {
    return { type, ...(await questions.guided(guide)) };
  }
  let options: JsonObject = {};
  const secrets: ChannelAnswer['secrets'][number][] = [];
  for (const { path, text } of settings) {
    const field = fields.find((candidate) => candidate.path.join('.') === path.join('.'));
    options = withValue(options, path, readGiven(type, prefix, field, { path, text }));
  }

  const take = (field: ChannelField, text: string): void => {
    const { path, form } = field;
    const address = path.join('.') === 'smtp.host' ? hostAndPort(text) : null;
    if (address !== null) {
      options = withValue(withValue(options, path, address.host), ['smtp', 'port'], address.port);
    } else if (form !== 'secret') options = withValue(options, path, readValue(form, text));
    else if (readReference(text) === null) secrets.push({ path, value: text });
    else options = withValue(options, path, readReference(text));
  };
  for (const field of fields) {
    const { path, form } = field;
    const question = questionFor(definition, field, options);
    if (question === null || valueAt(options, path) !== undefined) continue;
    const fault = (text: string): string | null => {
      const typed = path.join('.') === 'smtp.host' ? (hostAndPort(text)?.host ?? text) : text;
      const value = form === 'secret' ? (readReference(typed) ?? typed) : readValue(form, typed);
      return fieldFault(definition, options, path, value);
    };
    const given = env[settingVariable(type, path)] ?? '';
    if (given !== '') {
      const reason = fault(given);
      if (reason !== null) throw new UsageError(`${settingVariable(type, path)} ${reason}`);
      take(field, given);
      continue;
    }
    const { when: _, initial = null, ...asked } = question;
    const text = await questions.text({
      ...asked,
      flag: settingFlag(type, prefix, field),
      initial,
      look: form === 'secret' ? 'hidden' : 'shown',
      fault,
    });
    if (text !== '') take(field, text);
  }
  return { type, options, secrets };
}

/** "smtp.example.com:2525" as people copy it from the settings of their mail program; null without a port. */
function hostAndPort(text: string): { readonly host: string; readonly port: number } | null {
  const [, host = '', port = ''] = /^([^:\s]+):(\d{1,5})$/.exec(text) ?? [];
  return host === '' ? null : { host, port: Number(port) };
}

/** Other users of this machine can read the command line, so it must not contain secrets. */
function readGiven(
  type: string,
  prefix: string,
  field: ChannelField | undefined,
  { path, text }: Pick<Setting, 'path' | 'text'>,
): unknown {
  if (field?.form !== 'secret') return readValue(field?.form ?? 'other', text);
  const reference = readReference(text);
  if (reference !== null) return reference;
  const option = `--set ${prefix}${path.join('.')}`;
  throw new UsageError(`"${option}" is a secret, which other users could see here`, {
    hint: `Use file:PATH or env:NAME, or set ${settingVariable(type, path)}`,
  });
}
