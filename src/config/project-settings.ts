import { z } from 'zod';
import type { Kind } from '../core/hook-event.ts';
import { isJsonObject } from '../platform/json.ts';
import type { ProjectSettings } from '../core/policy.ts';
import { cutText, displayLine } from '../text/sanitize.ts';
import { kindsSchema } from './match-schema.ts';
import type { ProjectFile } from './project-file.ts';

/** All settings of a project. Nothing that could notify a person, run a program or show more may be added here. */
const wishes = {
  label: z.string().regex(/\S/).max(80),
  mute: kindsSchema,
};

/** The settings in a file, whether trusted or not. */
export interface ProjectWishes {
  readonly label: string | null;
  readonly mute: readonly Kind[];
  /** Ignored settings with reasons, as sentences for people. */
  readonly ignored: readonly string[];
}

/** Reads the text of a project's file. Mistakes are ignored and reported: they never lose an event. */
export async function readWishes(text: string): Promise<ProjectWishes> {
  const { readYaml } = await import('./yaml-document.ts');
  const reading = readYaml(text);
  const none = { label: null, mute: [] };
  if (!reading.ok) return { ...none, ignored: ['it is not valid YAML'] };
  const document = reading.value ?? {};
  if (!isJsonObject(document)) return { ...none, ignored: ['it is not a mapping'] };

  const label = wishes.label.optional().safeParse(document['label']);
  const mute = wishes.mute.optional().safeParse(document['mute']);
  const foreign = Object.keys(document).filter((key) => !Object.hasOwn(wishes, key));
  return {
    label: label.data === undefined ? null : displayLine(label.data) || null,
    mute: mute.data ?? [],
    ignored: [
      ...foreign.map(
        (key) => `"${cutText(displayLine(key), 40)}" is ignored: a project may only mute and label`,
      ),
      ...(label.success ? [] : ['"label" is ignored: it is not a text of at most 80 characters']),
      ...(mute.success ? [] : ['"mute" is ignored: it is not a list of kinds']),
    ],
  };
}

/**
 * The settings of a project's file that are in force.
 *
 * @param trusted hashes of trusted files, by path
 */
export async function settingsOf(
  { path: file, content }: ProjectFile,
  trusted: ReadonlyMap<string, string>,
): Promise<ProjectSettings> {
  const without = (note: string): ProjectSettings => ({ file, label: null, mute: [], note });
  if (!content.ok) return without(`is not applied: it ${content.reason}`);
  const known = trusted.get(file);
  if (known !== content.hash) {
    const why = known === undefined ? 'is not trusted' : 'has changed since it was trusted';
    return without(`is not applied: it ${why} (see "hookbell project show")`);
  }
  const { label, mute, ignored } = await readWishes(content.text);
  return { file, label, mute, note: ignored.length === 0 ? null : ignored.join('; ') };
}
