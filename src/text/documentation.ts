/** Where the repository is, as in package.json; a person who has only a package reads the documentation there. */
const REPOSITORY = 'https://github.com/OWNER/hookbell';

/** The address of a page, such as "docs/hub.md". */
export function documentationPage(path: string): string {
  return `${REPOSITORY}/blob/main/${path}`;
}
