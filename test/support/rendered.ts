import type { HookEvent } from '../../src/core/hook-event.ts';
import type { Notification } from '../../src/core/notification.ts';
import type { Session } from '../../src/core/session.ts';
import type { Templates } from '../../src/delivery/render.ts';
import { createRenderer } from '../../src/delivery/render.ts';
import { sampleEvent } from './sample.ts';

interface RenderOptions {
  readonly session?: Session | null;
  readonly templates?: Templates;
}

/** The notification of an event, as a delivery that may be a repeat gets it; name only the fields the test is about. */
export function rendered(
  event: Partial<HookEvent>,
  { session = null, ...options }: RenderOptions = {},
): Notification {
  return createRenderer(options).notification({
    delivery: {
      id: 'delivery-1',
      eventId: 'event-1',
      alertId: null,
      step: 0,
      channel: 'desktop',
      state: 'retrying',
      dueAt: 0,
      attempts: 1,
      reason: null,
      ref: null,
      carry: null,
      heldFor: null,
      quietly: false,
      stillRunning: false,
      failures: 0,
      waitedMs: 0,
      recipient: null,
      repetition: 0,
      delayMs: 0,
      condition: null,
      alsoCovers: [],
      possibleDuplicate: true,
      createdAt: 0,
      sentAt: null,
    },
    also: [],
    event: sampleEvent(event),
    session,
  });
}

/** Only its texts. */
export function renderedTexts(
  event: Partial<HookEvent>,
  options: RenderOptions = {},
): Pick<Notification, 'title' | 'body'> {
  const { title, body } = rendered(event, options);
  return { title, body };
}
