import type { PlannedRequest } from '../../api/index.ts';
import type { Config } from '../../config/config.ts';
import { UsageError } from '../../core/errors.ts';

type Account = NonNullable<Config['api']>;

/** What the variable is called unless the configuration names one. */
const DEFAULT_VARIABLE = 'HOOKBELL_API_KEY';

/**
 * A request as a curl command for a POSIX shell. The credential is a variable: a command line is seen by every process,
 * and kept in the shell's history.
 *
 * @throws UsageError when the address is not configured
 */
export function curlCommand(
  { method, path, query, body }: PlannedRequest,
  account: Account | null,
  { isApp }: { readonly isApp: boolean },
): string {
  const address = isApp ? account?.appUrl : account?.baseUrl;
  if (address === null || address === undefined) {
    throw new UsageError(
      `Cannot print the request: api.${isApp ? 'app_url' : 'base_url'} is not set`,
    );
  }
  const search = new URLSearchParams(query).toString();
  const url = `${address.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`;
  return [
    'curl',
    `--request ${method}`,
    `--header "Authorization: Bearer $${variableFor(path, account)}"`,
    ...(body === undefined
      ? []
      : [`--header 'Content-Type: application/json'`, `--data ${quoted(JSON.stringify(body))}`]),
    quoted(url),
  ].join(' \\\n  ');
}

/** The variable the configuration reads the credential from, where it does. */
function variableFor(path: string, account: Account | null): string {
  const isV0 = path.startsWith('/api/v0/');
  const reference = isV0 ? (account?.jwt ?? account?.key) : account?.key;
  if (typeof reference !== 'object' || reference === null || !('env' in reference)) {
    return DEFAULT_VARIABLE;
  }
  return /^[A-Za-z_]\w*$/.test(reference.env) ? reference.env : DEFAULT_VARIABLE;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
