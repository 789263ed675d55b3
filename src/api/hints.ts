import type { CredentialKind } from './credentials.ts';
import type { RouteFamily } from './route.ts';

/** What to do about a missing or refused credential or a role that does not suffice. */
export function hintFor(
  trouble: 'no-key' | 'refused' | 'forbidden',
  family: RouteFamily,
  appUrl: string | undefined,
  kind: CredentialKind = 'key',
): string {
  if (kind === 'jwt' && trouble !== 'forbidden') {
    const what = trouble === 'refused' ? 'is invalid, expired or revoked' : 'cannot be read';
    return `The access token in api.jwt ${what}. Put a new one where api.jwt says it is kept, or remove api.jwt: the API key is used then.`;
  }
  if (kind === 'jwt') {
    return 'The user of the access token in api.jwt may not do that, or the feature is off for your organization.';
  }
  const page = `${appUrl ?? '{app_url}'}/settings/api-keys`;
  if (trouble === 'forbidden') {
    return family === 'analytics'
      ? 'Analytics needs the role Manager or Owner: ask for it, or use the key of somebody who has it.'
      : 'The role of this key does not allow it, or the feature is off for your organization.';
  }
  const create = `Create a key at "${page}" and configure it.`;
  return trouble === 'refused'
    ? `The key is invalid, expired or revoked. ${create}`
    : `${create} A member who cannot create one may be kept from it by the enterprise setting restrictApiKeyCreationToManagers.`;
}
