import { z } from 'zod';

import { POLICY, PolicyRequest } from '../../src/core/hub/machine-policy.ts';
import {
  ENROL,
  EnrolBody,
  ME,
  MeRequest,
  REPORT_SEEN,
  SeenRequest,
} from '../../src/core/hub/machine-requests.ts';
import { EXCHANGE, Report } from '../../src/relay/exchange-wire.ts';
import { EVENTS, RelayedEvent } from '../../src/relay/wire.ts';

/** Every body that a hub takes over the network, by its path. */
export const machineBodies: readonly (readonly [path: string, schema: z.ZodType])[] = [
  [EVENTS, z.object({ version: z.literal(1), events: z.array(RelayedEvent).max(3) })],
  [EXCHANGE, Report.extend({ waitMs: z.literal(0) })],
  [REPORT_SEEN, SeenRequest],
  [ME, MeRequest],
  [POLICY, PolicyRequest],
  [ENROL, EnrolBody],
];
