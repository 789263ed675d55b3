import { HookbellError } from '../platform/errors.ts';
import type { Outcome } from './outcome.ts';
import type { ProjectSettings } from './policy.ts';

/** File work on paths that a payload or the configuration names, by name. All of it can be written as JSON. */
export interface FileWork {
  /** The rest of a `file` channel's work: appends lines, with an outcome for each. */
  readonly appendLines: {
    readonly asked: {
      readonly path: string;
      readonly lines: readonly string[];
      readonly mode: number;
    };
    readonly answer: readonly Outcome[];
  };
  readonly checkAppend: {
    readonly asked: { readonly path: string };
    /** A `ChannelCheck`. */
    readonly answer: { readonly ok: boolean; readonly summary: string; readonly hint?: string };
  };
  readonly transcriptTitle: {
    readonly asked: { readonly path: string; readonly uid: number | null };
    readonly answer: string | null;
  };
  /** The last bytes of a transcript; null where it is not to be read. */
  readonly transcriptTail: {
    readonly asked: { readonly path: string; readonly uid: number | null };
    readonly answer: string | null;
  };
  readonly projectSettings: {
    readonly asked: {
      /** A directory. */
      readonly path: string;
      readonly uid: number | null;
      /** Hashes of the files that are trusted, by path. */
      readonly trusted: Readonly<Record<string, string>>;
    };
    readonly answer: ProjectSettings | null;
  };
  readonly secret: {
    readonly asked: { readonly path: string; readonly platform: NodeJS.Platform };
    readonly answer: string;
  };
  readonly configuration: { readonly asked: { readonly path: string }; readonly answer: FileText };
  /** Changes whenever the file behind the path does, by whatever links; null where there is none. */
  readonly stamp: { readonly asked: { readonly path: string }; readonly answer: string | null };
  readonly text: { readonly asked: { readonly path: string }; readonly answer: string };
  /** Asks the file system itself, past what the kernel remembers. */
  readonly probe: { readonly asked: { readonly path: string }; readonly answer: null };
}

/** What a text file holds, or why it cannot be taken: a clause that goes on after its name. */
export type FileText =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'missing' }
  | { readonly type: 'unusable'; readonly reason: string };

/** How each piece of work is done; rejects like the calls of Node it makes, or with a HookbellError. */
export type FileJobs = {
  readonly [Name in keyof FileWork]: (
    asked: FileWork[Name]['asked'],
  ) => Promise<FileWork[Name]['answer']>;
};

/** Does file work so that a path which never answers holds up nothing but itself. */
export interface FarFiles {
  /** @throws HungPathError when the path's file system does not answer; else as the job does */
  run<Name extends keyof FileWork>(
    name: Name,
    asked: FileWork[Name]['asked'],
  ): Promise<FileWork[Name]['answer']>;
}

/** Thrown for a path on a file system that does not answer. */
export class HungPathError extends HookbellError {
  override readonly name = 'HungPathError';
  /** False where the work may have been begun before it was given up. */
  readonly isUntouched: boolean;

  constructor(path: string, { place, isUntouched }: { place: string; isUntouched: boolean }) {
    super(`Cannot reach "${path}": the file system on "${place}" does not answer`, {
      hint: `Look at the mount: findmnt --target "${place}"`,
    });
    this.isUntouched = isUntouched;
  }
}
