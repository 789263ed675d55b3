/** The words of HTML on one line, as the page builds it: a time that it fills in later is shown as it is. */
export function wordsIn(html: string): string {
  return html
    .replaceAll(/<(?:age|clock) ([^>]*)>/g, '$1')
    .replaceAll(/<(?:root|token|\/?bdi)>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
