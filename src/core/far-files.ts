import { HookbellError } from '../platform/errors.ts';
import type { Outcome } from './outcome.ts';
import type { ProjectSettings } from './policy.ts';

interface FileJob<Answer, More = unknown> {
  readonly asked: { readonly path: string } & More;
  readonly answer: Answer;
}

/** Of a path that a payload names. `uid`: null on systems without user ids. */
interface OfUser {
  readonly uid: number | null;
}

/** File jobs, by name, on paths from a payload or the configuration. All values can be written as JSON. */
export interface FileWork {
  /** The write of a `file` channel: appends lines, with an outcome for each. */
  readonly appendLines: FileJob<
    readonly Outcome[],
    { readonly lines: readonly string[]; readonly mode: number }
  >;
  /** A `ChannelCheck`. */
  readonly checkAppend: FileJob<{ ok: boolean; summary: string; hint?: string }>;
  readonly transcriptTitle: FileJob<string | null, OfUser>;
  /** The last bytes of a transcript; null if it may not be read. */
  readonly transcriptTail: FileJob<string | null, OfUser & { readonly bytes: number }>;
  /** Of a directory; `trusted`: hashes of the trusted files, by path. */
  readonly projectSettings: FileJob<
    ProjectSettings | null,
    OfUser & { readonly trusted: Readonly<Record<string, string>> }
  >;
  readonly secret: FileJob<string, { readonly platform: NodeJS.Platform }>;
  readonly configuration: FileJob<FileText>;
  /** Replaces the configuration. False: meanwhile it is another than `before`. */
  readonly replaceConfiguration: FileJob<
    boolean,
    { readonly before: FileText; readonly text: string }
  >;
  /** Changes whenever the file behind the path does, including through links; null without a file. */
  readonly stamp: FileJob<string | null>;
  readonly text: FileJob<string>;
  /** Asks the file system itself, bypassing the kernel's cache. */
  readonly probe: FileJob<null>;
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
