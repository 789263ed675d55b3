import { POLICY, type PolicyAnswer, PolicyRequest } from '../core/hub/machine-policy.ts';
import { parseJson } from '../platform/json.ts';
import { malformedAnswer, type RelayRoutes, SMALL_BODY } from '../relay/entrance.ts';
import type { HubDirectory } from './directory.ts';

/** What the hub forbids the machine that asks. */
export function policyRoute({ policy }: Pick<HubDirectory, 'policy'>): RelayRoutes {
  return {
    [`POST ${POLICY}`]: {
      mostBytes: SMALL_BODY,
      handle(_peer, body) {
        const request = PolicyRequest.safeParse(parseJson(new TextDecoder().decode(body)));
        const answer: PolicyAnswer = { version: 1, policy: policy() };
        return Promise.resolve(request.success ? { status: 200, body: answer } : malformedAnswer);
      },
    },
  };
}
