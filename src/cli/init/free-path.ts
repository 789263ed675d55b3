/**
 * The first of "path", "path-2", "path-3", … that may be used.
 *
 * @param isFree whether a path is
 */
export async function freePath(
  path: string,
  isFree: (candidate: string) => Promise<boolean>,
): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`;
    if (await isFree(candidate)) return candidate;
  }
}
