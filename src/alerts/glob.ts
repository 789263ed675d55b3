/**
 * Matches a glob in at most |glob| · |text| steps and without a regular expression, so that no text can make it slow.
 * `*` is any run of characters, `?` one; case does not matter.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const pattern = glob.toLowerCase();
  const subject = text.toLowerCase();
  let p = 0;
  let s = 0;
  // Where the last star stands, and up to where it has eaten.
  let star = -1;
  let eaten = 0;
  while (s < subject.length) {
    if (pattern[p] === '*') {
      star = p;
      eaten = s;
      p += 1;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === subject[s])) {
      p += 1;
      s += 1;
    } else if (star >= 0) {
      eaten += 1;
      s = eaten;
      p = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
