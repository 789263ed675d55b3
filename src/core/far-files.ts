import { HookbellError } from '../platform/errors.ts';
import type { Outcome } from './outcome.ts';
import type { ProjectSettings } from './policy.ts';

/** File jobs, by name, on paths from a payload or the configuration. All values can be written as JSON. */
export interface FileWork {
  /** The write of a `file` channel: appends lines, with an outcome for each. */
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
  /** The last bytes of a transcript; null if it may not be read. */
  readonly transcriptTail: {
    readonly asked: { readonly path: string; readonly uid: number | null; readonly bytes: number };
    readonly answer: string | null;
  };
  readonly projectSettings: {
    readonly asked: {
      /** A directory. */
      readonly path: string;
      readonly uid: number | null;
      /** Hashes of the trusted files, by path. */
      readonly trusted: Readonly<Record<string, string>>;
    };
    readonly answer: ProjectSettings | null;
  };
  readonly secret: {
    readonly asked: { readonly path: string; readonly platform: NodeJS.Platform };
    readonly answer: string;
  };
  readonly configuration: { readonly asked: { readonly path: string }; readonly answer: FileText };
  /** Replaces the configuration. False: meanwhile it is another than `before`. */
  readonly replaceConfiguration: {
    readonly asked: { readonly path: string; readonly before: FileText; readonly text: string };
    readonly answer: boolean;
  };
  /** Changes whenever the file behind the path does, including through links; null without a file. */
  readonly stamp: { readonly asked: { readonly path: string }; readonly answer: string | null };
  readonly text: { readonly asked: { readonly path: string }; readonly answer: string };
  /** Asks the file system itself, bypassing the kernel's cache. */
  readonly probe: { readonly asked: { readonly path: string }; readonly answer: null };
}

/** The content of a text file, or why it cannot be used: a clause that follows its name. */
export type FileText =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'missing' }
  | { readonly type: 'unusable'; readonly reason: string };

/** The implementation of each job; rejects like the Node calls it makes, or with a HookbellError. */
export type FileJobs = {
  readonly [Name in keyof FileWork]: (
    asked: FileWork[Name]['asked'],
  ) => Promise<FileWork[Name]['answer']>;
};

/** Runs file jobs so that a hung path blocks only its own job. */
export interface FarFiles {
  /** @throws HungPathError if the path's file system does not answer; otherwise as the job does */
  run<Name extends keyof FileWork>(
    name: Name,
    asked: FileWork[Name]['asked'],
  ): Promise<FileWork[Name]['answer']>;
}

/** A path on a file system that does not answer. */
export class HungPathError extends HookbellError {
  override readonly name = 'HungPathError';
  /** False if the job may have started before it was abandoned. */
  readonly isUntouched: boolean;

  constructor(path: string, { place, isUntouched }: { place: string; isUntouched: boolean }) {
    super(`Cannot reach "${path}": the file system on "${place}" does not answer`, {
      hint: `Check the mount: findmnt --target "${place}"`,
    });
    this.isUntouched = isUntouched;
  }
}
