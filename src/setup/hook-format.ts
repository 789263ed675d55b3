import type { HookShape, Registration } from '../core/registration.ts';

/** A hook file with our hook put in or taken out, or why it has to be left alone. */
export type Edited =
  | {
      readonly ok: true;
      /** The whole file. */
      readonly text: string;
      readonly changed: boolean;
      /** Nothing is in it that somebody else wrote, and nothing of ours. */
      readonly blank: boolean;
    }
  | {
      readonly ok: false;
      readonly problem: string;
      /** What to write where the usual line would not do. */
      readonly byHand?: string;
    };

/** Our hook as a file registers it for one event. */
export interface RegisteredHook {
  readonly event: string;
  /** As a shell reads it. */
  readonly command: string;
  /** In the unit of the agent; null when the file names none. */
  readonly timeout: number | null;
}

export type Listed =
  | { readonly ok: true; readonly hooks: readonly RegisteredHook[] }
  | { readonly ok: false; readonly problem: string };

/** How one kind of hook file is edited. */
export interface HookFormat {
  /**
   * @param text the file as it is; null when there is none
   * @param hook absolute path of the hook, or `PORTABLE_HOOK`
   */
  readonly register: (text: string | null, registration: Registration, hook: string) => Edited;
  /** What a person has to add to the file where it cannot be written for them, on one line; null: that takes more than a line. */
  readonly byHand: (registration: Registration, hook: string) => string | null;
  readonly unregister: (text: string) => Edited;
  readonly list: (text: string) => Listed;
}

export type HookFormats = Readonly<Record<HookShape, HookFormat>>;
