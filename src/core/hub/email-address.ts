/** An email address as a hub stores it, in lower case; null if it is none. */
export function emailAddress(text: string): string | null {
  const address = text.trim().toLowerCase();
  const isOne =
    address.length <= 254 &&
    /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/.test(
      address,
    );
  return isOne ? address : null;
}
