/** Why a request got no response. */
export interface NetworkTrouble {
  /** The end of a sentence. Made only from the error's code: messages of errors hold addresses, which may be secret. */
  readonly reason: string;
  /** False if no byte of the request was sent. */
  readonly mayHaveArrived: boolean;
}

/** Errors before the first byte of the request, so that the message cannot have arrived. */
const beforeSending: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'its name cannot be resolved',
  ENOTFOUND: 'its name cannot be resolved',
  ENOENT: 'its socket does not exist',
  EACCES: 'permission denied',
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to it',
  ENETUNREACH: 'no network',
  ENETDOWN: 'no network',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ERR_PROXY_UNREACHABLE: 'the proxy cannot be reached',
  ERR_PROXY_REFUSED: 'the proxy refused the connection',
  ERR_PROXY_LOGIN: 'the proxy refused the login',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer of its certificate is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the issuer of its certificate is unknown',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
};

/** Errors of an open connection: the message may have arrived. */
const afterSending: Readonly<Record<string, string>> = {
  ECONNRESET: 'connection lost',
  EPIPE: 'connection lost',
  UND_ERR_SOCKET: 'connection lost',
  ETIMEDOUT: 'connection lost',
};

/** Explains the error of a request. */
export function networkTrouble(error: unknown): NetworkTrouble {
  const code = networkCode(error);
  const before = beforeSending[code];
  if (before !== undefined) return { reason: before, mayHaveArrived: false };
  return { reason: afterSending[code] ?? `network error ${code}`, mayHaveArrived: true };
}

/** fetch hides the system's error under "fetch failed": the code is some causes down. */
function networkCode(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(cause.code)) {
      return cause.code;
    }
  }
  return 'of an unknown kind';
}
