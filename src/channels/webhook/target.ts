import { isIP } from 'node:net';
import type { ChannelDependencies } from '../../core/channel.ts';
import { ConfigError } from '../../core/errors.ts';
import { Secret } from '../../core/redact.ts';
import type { WebhookOptions } from './options.ts';
import { isPublicAddress } from './public-address.ts';
import { signingKey } from './signature.ts';

/** Where a webhook goes and what goes with it, with all secrets read. */
export interface WebhookTarget {
  readonly url: Secret;
  /** The URL's host without brackets; fit to be shown. */
  readonly hostname: string;
  readonly headers: ReadonlyMap<string, Secret>;
  /** The signing secret, or null where requests stay unsigned. */
  readonly secret: Secret | null;
}

/**
 * Reads the secrets of the options and checks what they hold.
 *
 * @throws ConfigError that says what is wrong without showing a secret
 */
export async function readTarget(
  options: WebhookOptions,
  { name, resolveSecret }: Pick<ChannelDependencies, 'name' | 'resolveSecret'>,
): Promise<WebhookTarget> {
  const refuse = (fault: string, hint?: string): never => {
    throw new ConfigError(
      `Cannot use channel "${name}": ${fault}`,
      hint === undefined ? {} : { hint },
    );
  };

  const text = await resolveSecret(options.url);
  const url = URL.canParse(text) ? new URL(text) : refuse('the address in "url" is not a URL');
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    refuse('the address in "url" is not https');
  }
  if (url.protocol === 'http:' && !options.allow_http) {
    refuse('the address in "url" is not https', 'Use https, or set allow_http: true');
  }
  // A name is checked when it is resolved, by the lookup of the connection itself.
  if (isIP(hostname) !== 0 && !isPublicAddress(hostname) && !options.allow_private) {
    refuse('the address in "url" is not public', 'Set allow_private: true if you mean it');
  }

  const secret = options.secret === undefined ? null : await resolveSecret(options.secret);
  if (secret !== null && signingKey(secret) === null) {
    refuse('what follows "whsec_" in "secret" is not base64');
  }

  const headers = new Map<string, Secret>();
  for (const [header, reference] of Object.entries(options.headers)) {
    const value = await resolveSecret(reference);
    // Anything else could end the header and begin another one.
    if (!/^[\t\u0020-\u007e]*$/.test(value)) {
      refuse(`the value of header "${header}" holds characters other than printable ASCII`);
    }
    headers.set(header, new Secret(value));
  }

  return {
    url: new Secret(url.href),
    hostname,
    headers,
    secret: secret === null ? null : new Secret(secret),
  };
}

/** What an address that is written out shows before the channel is used. It may hold a secret, so it is not quoted. */
export function addressDoubts({
  url,
  allow_http: allowHttp,
  allow_private: allowPrivate,
}: Pick<WebhookOptions, 'url' | 'allow_http' | 'allow_private'>): readonly {
  readonly key: 'url';
  readonly message: string;
}[] {
  if (typeof url !== 'string' || !URL.canParse(url)) return [];
  const { protocol, hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isHere = host === 'localhost' || host.endsWith('.localhost');
  const isPrivate = isHere || (isIP(host) !== 0 && !isPublicAddress(host));
  return [
    ...(protocol === 'http:' && !allowHttp
      ? ['is an address without TLS, which is not used: write https, or set "allow_http: true"']
      : []),
    ...(isPrivate && !allowPrivate
      ? [
          'is an address of this machine or of a private network, which is not used: set "allow_private: true" if you mean it',
        ]
      : []),
  ].map((message) => ({ key: 'url', message }));
}
