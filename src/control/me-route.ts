import { ME, MeAnswer, MeRequest } from '../core/hub/machine-requests.ts';
import { FailedError } from '../platform/errors.ts';
import type { ControlRoutes } from './control-server.ts';
import { parseBody } from './read-request.ts';

/** The outcome of a request to the hub; a reason ends a sentence. */
export type AskHub = (
  path: string,
  body: object,
) => Promise<
  | { readonly type: 'ok'; readonly answer: unknown }
  | { readonly type: 'clock'; readonly aheadMs: number }
  | {
      readonly type: 'unreachable' | 'refused' | 'later' | 'misunderstood';
      readonly reason: string;
    }
  | null
>;

/** What the person at this machine sets at the hub that it belongs to. */
export function meRoute(askHub: AskHub): Pick<ControlRoutes, 'POST /v1/me'> {
  return {
    'POST /v1/me': async ({ body }) => {
      const reply = await askHub(ME, parseBody(MeRequest, body));
      if (reply === null) {
        throw new FailedError('This machine belongs to no hub, which would store your settings', {
          hint: 'Ask the administrator of your hub for an invitation, and run "hookbell join"',
        });
      }
      if (reply.type === 'clock') {
        throw new FailedError('Cannot ask the hub: the clock of this machine is wrong', {
          hint: 'Set the clock of this machine',
        });
      }
      if (reply.type !== 'ok') {
        throw new FailedError(`Cannot ask the hub: ${reply.reason}`, {
          hint: 'Run "hookbell doctor" to check the connection; only a hub stores personal settings',
        });
      }
      const answer = MeAnswer.safeParse(reply.answer);
      if (!answer.success) {
        throw new FailedError(
          'Cannot read the answer of the hub: hookbell on this machine may be older',
        );
      }
      if (answer.data.type === 'refused') throw new FailedError(answer.data.reason);
      return answer.data.me;
    },
  };
}
