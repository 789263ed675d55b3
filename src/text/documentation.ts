/** The address of a page, such as "docs/hub.md", in the repository of package.json: who has only a package reads it there. */
export function documentationPage(path: string): string {
  return `https://github.com/OWNER/hookbell/blob/main/${path}`;
}
