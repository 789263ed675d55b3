import { type Family, familyOf, type ServedRoute } from './call.ts';
import { servedAnalytics } from './routes/analytics.ts';
import { servedComputers } from './routes/computers-routes.ts';
import { servedOrganization, servedReadiness } from './routes/organization-routes.ts';
import { servedSessions } from './routes/sessions-routes.ts';

/** The nineteen operations, written from the document and from nothing else. */
export const ROUTES: readonly ServedRoute[] = [
  ...servedAnalytics,
  ...servedReadiness,
  ...servedSessions,
  ...servedComputers,
  ...servedOrganization,
];

/** Readiness lives at the application's address, all else at the base address. */
export type Address = 'base' | 'app';

export type Found =
  | {
      readonly kind: 'route';
      readonly route: ServedRoute;
      readonly path: ReadonlyMap<string, string>;
    }
  | { readonly kind: 'wrong-method'; readonly family: Family; readonly allowed: readonly string[] }
  | { readonly kind: 'nothing'; readonly family: Family };

const compiled = ROUTES.map((route) => {
  const source = route.pattern.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]*)');
  return { route, expression: new RegExp(`^${source}$`) };
});

export function findRoute(address: Address, method: string, pathname: string): Found {
  const matching = compiled
    .filter(({ route }) => (route.family === 'readiness') === (address === 'app'))
    .map(({ route, expression }) => ({ route, match: expression.exec(pathname) }))
    .filter(({ match }) => match !== null);
  const found = matching.find(({ route }) => route.method === method);
  if (found !== undefined) {
    const path = decodeParts(found.match?.groups ?? {});
    return path === null
      ? { kind: 'nothing', family: found.route.family }
      : { kind: 'route', route: found.route, path };
  }
  if (matching[0] !== undefined) {
    const allowed = matching.map(({ route }) => route.method);
    return { kind: 'wrong-method', family: matching[0].route.family, allowed };
  }
  return { kind: 'nothing', family: address === 'app' ? 'readiness' : baseFamilyOf(pathname) };
}

/** @returns null if a part is not percent-encoded UTF-8 */
function decodeParts(groups: Record<string, string>): ReadonlyMap<string, string> | null {
  try {
    return new Map(Object.entries(groups).map(([name, part]) => [name, decodeURIComponent(part)]));
  } catch {
    return null;
  }
}

function baseFamilyOf(pathname: string): Family {
  return familyOf(pathname) === 'analytics' ? 'analytics' : 'v0';
}
