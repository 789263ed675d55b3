/**
 * The last part of a directory, for people. A path that begins with a slash is a POSIX one, where a backslash is part
 * of the name; in all others both separate.
 *
 * @returns null for a root, which has no name
 */
export function projectName(directory: string | null): string | null {
  if (directory === null) return null;
  const parts = directory.split(directory.startsWith('/') ? '/' : /[\\/]/);
  const last = parts.findLast((part) => part !== '') ?? '';
  return last === '' || /^[A-Za-z]:$/.test(last) ? null : last;
}
