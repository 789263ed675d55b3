import { jsonPathOf } from '../parse-response.ts';
import { ControlSettings } from './controls.ts';

/** The settings the interface names. */
export const controlSettingNames: readonly string[] = Object.keys(ControlSettings.shape);

export interface ReadSettings {
  /** The settings that fit the interface; what is absent is not set, which is not the same as false. */
  readonly settings: ControlSettings;
  /** Paths of settings of another type, which are left out. */
  readonly misfits: readonly string[];
}

/** A typed view of control settings, key by key: one that was retyped does not hide the others. */
export function readControlSettings(settings: Readonly<Record<string, unknown>>): ReadSettings {
  const misfits: string[] = [];
  let kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(settings)) {
    const parsed = ControlSettings.safeParse({ [key]: value });
    if (parsed.success) kept = { ...kept, [key]: value };
    else misfits.push(jsonPathOf(parsed.error.issues[0]?.path ?? [key]));
  }
  return { settings: ControlSettings.parse(kept), misfits };
}
