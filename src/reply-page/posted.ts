/** What became of a reply, in sentences for the page. */
export type Posted =
  | { readonly type: 'sent'; readonly lines: readonly string[] }
  /** It did not go out, and may be tried again. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The same is being sent right now. */
  | { readonly type: 'busy'; readonly reason: string }
  /** Another one was sent before, and this one was not. */
  | { readonly type: 'answered'; readonly reason: string }
  /** Nobody can tell whether it arrived. */
  | { readonly type: 'unknown'; readonly reason: string };
