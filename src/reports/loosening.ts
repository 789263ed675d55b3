/**
 * Why a change may let more happen than before: an allow list that grew or is gone, a deny list that shrank, a permission that was
 * given, a restriction or the sandbox that was switched off, another retention. The interface does not say what a setting
 * means, so this goes by its name, and rather marks one too many. Null where nothing speaks for it.
 *
 * @param path names from the outside in
 */
export function loosening(
  path: readonly string[],
  { before, after }: { readonly before: unknown; readonly after: unknown },
  entries: { readonly added: readonly unknown[]; readonly removed: readonly unknown[] } | null,
): string | null {
  const name = path.at(-1) ?? '';
  if (/retention/i.test(name)) return 'another retention';
  if (before === true && after !== true) {
    if (name === 'enabled' && path.includes('sandbox')) return 'the sandbox is off';
    if (/^(?:restrict|deny|block|enable\w*shield)/i.test(name)) return 'a restriction is off';
  }
  if (after === true && /allow/i.test(name)) return 'something is allowed that was not';
  if (DENIES.test(name)) {
    return (entries?.removed.length ?? 0) > 0 ? 'a deny list is shorter' : null;
  }
  if (path.includes(TRUSTED_PLACES) && before === null) return 'an allow list is longer';
  if (!ALLOWS.test(name) || entries === null) return null;
  if (after === null) return 'an allow list is gone';
  return entries.added.length > 0 ? 'an allow list is longer' : null;
}

const ALLOWS = /allow/i;
const DENIES = /deny|block/i;
/** A list of objects, so its entries come one by one. */
const TRUSTED_PLACES = 'strictKnownMarketplaces';
