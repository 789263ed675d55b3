import { createClient } from '../../src/vendor/client/index.ts';
import { createSessionService } from '../../src/vendor/session-service.ts';
import type { LookUp } from '../../src/delivery/look-up.ts';
import { createLookUp } from '../../src/delivery/look-up.ts';
import type { StoredSession } from './reference-service/data/sessions-data.ts';
import type { Mock } from './reference-service/reference-server.ts';
import { startMock } from './reference-service/reference-server.ts';
import type { ManualClock } from './manual-clock.ts';
import { manualClock } from './manual-clock.ts';

export interface LookUpStage extends AsyncDisposable {
  readonly service: Mock;
  readonly clock: ManualClock;
  readonly lookUp: LookUp;
  /** An idle session of the service that has a title and a computer. */
  readonly session: StoredSession;
  /** Names of the routes that were asked so far. */
  readonly asked: () => readonly (string | null)[];
  /** Resolves when the service has received `count` requests in all. */
  readonly received: (count: number) => Promise<void>;
}

/** A look-up of the reference service over HTTP, on a manual clock. */
export async function lookUpStage(): Promise<LookUpStage> {
  const clock = manualClock(Date.UTC(2026, 6, 1));
  const service = await startMock({ now: clock.now });
  const lookUp = createLookUp({
    service: createSessionService(
      createClient({ baseUrl: service.baseUrl, apiKey: service.keys.owner, now: clock.now }),
    ),
    now: clock.now,
    startTimer: clock.startTimer,
  });
  const session = service
    .state()
    .sessions.find(
      ({ status, title, computerId, sessionSettings }) =>
        status === 'idle' && [title, computerId, sessionSettings].every((one) => one !== undefined),
    );
  if (session === undefined) throw new Error('The reference service has no such session');
  const asked = (): readonly (string | null)[] => service.requests().map(({ routeId }) => routeId);
  return {
    service,
    clock,
    lookUp,
    session,
    asked,
    async received(count) {
      while (asked().length < count) await clock.settle();
    },
    async [Symbol.asyncDispose]() {
      await lookUp.stop();
      await service.close();
    },
  };
}
