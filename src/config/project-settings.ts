import { z } from 'zod';
import type { Kind } from '../core/hook-event.ts';
import { isJsonObject } from '../platform/json.ts';
import type { ProjectSettings } from '../core/policy.ts';
import { cutText, displayLine } from '../text/sanitize.ts';
import { kindsSchema } from './match-schema.ts';
import type { ProjectFile } from './project-file.ts';

/** All that a project can ask for. Anything that could tell somebody, run something or show more does not belong here. */
const wishes = {
  label: z.string().regex(/\S/).max(80),
  mute: kindsSchema,
};

/** What a file asks for, whether it is trusted or not. */
export interface ProjectWishes {
  readonly label: string | null;
  readonly mute: readonly Kind[];
  /** What of it is ignored, and why; sentences for people. */
  readonly ignored: readonly string[];
}

/** Reads the text of a project's file. Whatever is wrong in it is ignored and said: an event is never lost by it. */
export async function readWishes(text: string): Promise<ProjectWishes> {
  const { readYaml } = await import('./yaml-document.ts');
  const reading = readYaml(text);
  const none = { label: null, mute: [] };
  if (!reading.ok) return { ...none, ignored: ['it is no valid YAML'] };
  const document = reading.value ?? {};
  if (!isJsonObject(document)) return { ...none, ignored: ['it is no mapping'] };

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
      ...(label.success ? [] : ['"label" is ignored: it is no text of at most 80 characters']),
      ...(mute.success ? [] : ['"mute" is ignored: it is no list of kinds']),
    ],
  };
}

/**
 * What holds of a project's file.
 *
 * @param trusted hashes of the files a person has trusted, by path
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
