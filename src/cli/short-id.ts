/** The first part of an event's id: enough for `explain`, which takes a prefix. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
