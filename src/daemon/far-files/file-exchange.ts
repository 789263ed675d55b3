import { ConfigError, errorCode, HookbellError } from '../../platform/errors.ts';
import type { FileJobs, FileWork } from '../../core/far-files.ts';

/** How daemon and child exchange requests and results: as JSON, on one pipe between our own programs. */
type Written =
  | { readonly ok: true; readonly answer: unknown }
  | {
      readonly ok: false;
      readonly message: string;
      readonly hint: string | null;
      readonly code: string | null;
      readonly isOurs: boolean;
    };

export function request<Name extends keyof FileWork>(
  name: Name,
  asked: FileWork[Name]['asked'],
): string {
  return JSON.stringify({ name, asked });
}

/** Runs a request. Never rejects. */
export async function fileAnswerOf(text: string, jobs: FileJobs): Promise<string> {
  try {
    return JSON.stringify({ ok: true, answer: await runAsked(JSON.parse(text), jobs) });
  } catch (error) {
    const written: Written = {
      ok: false,
      message: error instanceof Error ? error.message : String(error),
      hint: error instanceof HookbellError ? error.hint : null,
      code: errorCode(error),
      isOurs: error instanceof HookbellError,
    };
    return JSON.stringify(written);
  }
}

function runAsked<Name extends keyof FileWork>(
  { name, asked }: { readonly name: Name; readonly asked: FileWork[Name]['asked'] },
  jobs: FileJobs,
): Promise<FileWork[Name]['answer']> {
  return jobs[name](asked);
}

/** @throws the job's error: a ConfigError, or an error with its code */
export function refuseFailure(text: string): void {
  const written: Written = JSON.parse(text);
  if (written.ok) return;
  const { message, hint, code, isOurs } = written;
  if (isOurs) throw new ConfigError(message, hint === null ? {} : { hint });
  throw Object.assign(new Error(message), code === null ? {} : { code });
}
