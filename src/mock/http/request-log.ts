import type { IncomingHttpHeaders } from 'node:http';

import type { Address } from './find-route.ts';
import type { KeyName } from '../keys.ts';

/** One request, as it came and as it went. */
export interface LoggedRequest {
  readonly number: number;
  readonly address: Address;
  readonly method: string;
  readonly pathname: string;
  readonly query: Readonly<Record<string, string>>;
  /** As they came, the Authorization value included. */
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Time of the service's clock, Unix ms. */
  readonly at: number;
  /** Null when nothing of the interface is there. */
  readonly routeId: string | null;
  /** Whose credential it was; null for none that is known. */
  readonly key: KeyName | null;
  /** Kinds of the faults that met it. */
  readonly faults: readonly string[];
  /** What the service itself made of it: the status it decided on; null when a fault kept the request from it. */
  decided: number | null;
  /** The status sent; null while there is none, or for ever after a reset or a hang. */
  sent: number | null;
}
