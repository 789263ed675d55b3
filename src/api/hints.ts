import type { RouteFamily } from './route.ts';

/** What to do about a missing or refused credential or a role that does not suffice. */
export function hintFor(
  trouble: 'no-key' | 'refused' | 'forbidden',
  family: RouteFamily,
  appUrl: string | undefined,
): string {
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
