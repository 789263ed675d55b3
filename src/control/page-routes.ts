import { z } from 'zod';

import { isoTime } from '../platform/time.ts';
import type { PageLinkView } from './contract-views.ts';
import type { ControlRoutes } from './control-server.ts';
import { agentPids, type QuestionRoutesParts } from './question-routes.ts';
import { callerProof, parseBody } from './read-request.ts';

/** Serves the page on demand, and signs browsers in and out. */
export interface PageControl {
  /** @throws FailedError if the page cannot be served */
  makeLink(link: {
    readonly rights: 'decide' | 'look';
    readonly withCode: boolean;
    /** Whether a file leads a browser of this machine to it. */
    readonly isForFile: boolean;
  }): Promise<Omit<PageLinkView, 'expiresAt' | 'limit'> & { readonly expiresAt: number }>;
  /** Returns how many browsers were signed in. */
  signOut(): Promise<number>;
}

interface PageRoutesParts extends Pick<QuestionRoutesParts, 'questions' | 'store' | 'callers'> {
  readonly page: PageControl;
}

const pageBody = z.strictObject({
  for: z.enum(['browser', 'print']),
  caller: callerProof.nullish(),
});

/**
 * Links to the page. Only a link that a person gets at a terminal leads to a browser that may allow requests: directly if
 * it is printed there, and by a code if a file names it, which programs of this user can read.
 */
export function pageRoutes({ page, questions, store, callers }: PageRoutesParts) {
  return {
    'POST /v1/page': async ({ body }) => {
      const { for: use, caller = null } = parseBody(pageBody, body);
      const limit =
        caller === null
          ? 'its process cannot be checked'
          : await callers.whyRefused(caller, await agentPids(questions, store.sessions));
      const isPerson = limit === null;
      const link = await page.makeLink({
        rights: isPerson && use === 'print' ? 'decide' : 'look',
        withCode: isPerson && use === 'browser',
        isForFile: use === 'browser',
      });
      return { ...link, expiresAt: isoTime(link.expiresAt), limit };
    },
    'POST /v1/page-sign-out': async () => ({ count: await page.signOut() }),
  } satisfies Partial<ControlRoutes>;
}
