import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { parse, stringify } from 'yaml';

import { channelDefinitions } from '../channels/registry.ts';
import { parseConfig } from '../config/load.ts';
import { isJsonObject } from '../core/json-object.ts';
import { writeAtomically } from '../setup/settings-file.ts';
import type { CommandContext } from './context.ts';

/** `there`: it has the section already. `unfit`: it cannot take it, and was left as it is. */
export type SectionAdded = 'added' | 'there' | 'unfit';

/**
 * Adds a section at the end of the configuration, whose other lines stay as they are. The daemon notices the change.
 *
 * @param value what `listen` or `relay` is to hold
 */
export async function addSection(
  { paths }: Pick<CommandContext, 'paths'>,
  section: 'listen' | 'relay',
  value: object,
): Promise<SectionAdded> {
  const before = await readFile(paths.config, 'utf8').catch(() => '');
  if (hasSection(before, section)) return 'there';
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  const text = `${before}${gap}${stringify({ [section]: value })}`;
  const loaded = await parseConfig(text, paths.config, { definitions: channelDefinitions });
  if (!loaded.ok || !hasSection(text, section)) return 'unfit';
  await mkdir(dirname(paths.config), { recursive: true, mode: 0o700 });
  await writeAtomically(paths.config, text);
  return 'added';
}

function hasSection(text: string, section: string): boolean {
  try {
    const document: unknown = parse(text, { logLevel: 'silent' });
    return isJsonObject(document) && document[section] !== undefined;
  } catch {
    return false;
  }
}
