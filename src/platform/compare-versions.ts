/**
 * Compares two versions by Semantic Versioning, without build metadata (https://semver.org/#spec-item-11).
 *
 * @returns below 0 if `one` is older, above 0 if it is newer
 */
export function compareVersions(one: string, other: string): number {
  const [core, candidate] = partsOf(one);
  const [otherCore, otherCandidate] = partsOf(other);
  const order = compareLists(core, otherCore);
  if (order !== 0 || candidate === otherCandidate) return order;
  // A candidate comes before its release.
  if (candidate === '' || otherCandidate === '') return candidate === '' ? 1 : -1;
  return compareLists(candidate, otherCandidate);
}

/** "1.0.0-rc.1+build" is 1.0.0 and rc.1. */
function partsOf(version: string): readonly [core: string, candidate: string] {
  const [numbered = ''] = version.split('+');
  const [core = '', ...candidate] = numbered.split('-');
  return [core, candidate.join('-')];
}

/** Numbers come before words; of two lists with the same beginning, the shorter one comes first. */
function compareLists(one: string, other: string): number {
  const [words, others] = [one.split('.'), other.split('.')];
  for (const [index, word] of words.entries()) {
    const against = others[index];
    if (against === undefined) return 1;
    if (word === against) continue;
    const [isNumber, isOtherNumber] = [word, against].map((text) => /^\d+$/.test(text));
    if (isNumber && isOtherNumber) return Number(word) - Number(against);
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return word < against ? -1 : 1;
  }
  return words.length - others.length;
}
