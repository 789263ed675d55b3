import type { Family } from './errors.ts';
import type { Route } from '../route-table.ts';
import { ROUTES } from '../route-table.ts';

/** Readiness lives at the application's address, all else at the base address. */
export type Address = 'base' | 'app';

export type Found =
  | { readonly kind: 'route'; readonly route: Route; readonly path: ReadonlyMap<string, string> }
  | { readonly kind: 'wrong-method'; readonly family: Family; readonly allowed: readonly string[] }
  | { readonly kind: 'nothing'; readonly family: Family };

const compiled = ROUTES.map((route) => {
  const source = route.pattern.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]*)');
  return { route, expression: new RegExp(`^${source}$`) };
});

export function findRoute(address: Address, method: string, pathname: string): Found {
  const here = compiled
    .filter(({ route }) => (route.family === 'readiness') === (address === 'app'))
    .map(({ route, expression }) => ({ route, match: expression.exec(pathname) }))
    .filter(({ match }) => match !== null);
  const found = here.find(({ route }) => route.method === method);
  if (found !== undefined) {
    const path = decodeParts(found.match?.groups ?? {});
    return path === null
      ? { kind: 'nothing', family: found.route.family }
      : { kind: 'route', route: found.route, path };
  }
  if (here[0] !== undefined) {
    const allowed = here.map(({ route }) => route.method);
    return { kind: 'wrong-method', family: here[0].route.family, allowed };
  }
  return { kind: 'nothing', family: familyOf(address, pathname) };
}

/** @returns null when a part is no percent-encoded UTF-8 */
function decodeParts(groups: Record<string, string>): ReadonlyMap<string, string> | null {
  try {
    return new Map(Object.entries(groups).map(([name, part]) => [name, decodeURIComponent(part)]));
  } catch {
    return null;
  }
}

function familyOf(address: Address, pathname: string): Family {
  if (address === 'app') return 'readiness';
  return pathname.startsWith('/api/v1/analytics') ? 'analytics' : 'v0';
}
