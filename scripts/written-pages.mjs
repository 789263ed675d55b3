// Pages that people write and that hold a part derived from the code: what stands between the two marks is generated.

const BEGIN = '<!-- Written by "npm run generate" up to the next mark. Do not edit. -->';
const END = '<!-- End of what is generated. -->';

/**
 * The page with its generated part anew; a page that is not there yet begins as its title and that part.
 *
 * @param written the page as it is, or null
 * @throws Error when a page has lost its marks
 */
export function filledPage(written, title, part) {
  const page = written ?? `# ${title}\n\n${BEGIN}\n${END}\n`;
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) {
    throw new Error(`The page "${title}" needs the lines\n${BEGIN}\n${END}`);
  }
  return `${page.slice(0, begin)}${BEGIN}\n\n${part}\n\n${page.slice(end)}`;
}
