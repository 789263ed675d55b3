import { traitsOf } from '../../src/agents/registry.ts';
import { decide } from '../../src/alerts/decide.ts';
import type { Alert } from '../../src/core/alert.ts';
import type { NewDelivery } from '../../src/core/delivery.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { type Policy, type Step, unknownPresence } from '../../src/core/policy.ts';
import type { Session } from '../../src/core/session.ts';
import type { Effects, Memory } from '../../src/core/store.ts';
import { noTraffic } from '../../src/core/due.ts';
import { sampleEvent } from './sample.ts';

/** Waiting, failures and long turns go to "desktop"; the plan "escalate" goes on to "team" after two minutes. */
export const samplePolicy: Policy = {
  plans: {
    now: { name: 'now', steps: [sampleStep(['desktop'])] },
    escalate: {
      name: 'escalate',
      steps: [sampleStep(['desktop', 'log']), sampleStep(['team'], { afterMs: 120_000 })],
    },
    none: { name: 'none', steps: [] },
  },
  routes: [
    { name: 'waiting', match: { severity: ['warning'] }, plan: 'escalate', also: false },
    { name: 'failures', match: { severity: ['critical'] }, plan: 'now', also: false },
    {
      name: 'long turns',
      match: { kind: ['turn.done'], longerThanMs: 20_000 },
      plan: 'now',
      also: false,
    },
  ],
  programChannels: ['log'],
  personalChannels: [],
  testChannels: ['desktop'],
  quietHours: [],
  noise: {
    burst: { atOnce: 1_000_000, windowMs: 0 },
    perSessionAnHour: 1_000_000,
    perChannelAnHour: 1_000_000,
    flapMs: 0,
  },
  expireAfterMs: 12 * 3_600_000,
  whenWatching: 'ring',
  tellsRounds: false,
  holdStop: null,
  settleDelayMs: {},
  relay: null,
};

/** Desktop immediately, team after two minutes, mail after ten. */
export const escalating: Policy = {
  ...samplePolicy,
  plans: {
    ...samplePolicy.plans,
    escalate: {
      name: 'escalate',
      steps: [
        { afterMs: 0, notify: ['desktop'], repeat: null, condition: null },
        { afterMs: 120_000, notify: ['team'], repeat: null, condition: null },
        { afterMs: 600_000, notify: ['mail'], repeat: null, condition: null },
      ],
    },
  },
};

/** A step due immediately, once and unconditionally; name only what the test is about. */
export function sampleStep(notify: readonly string[], fields: Partial<Step> = {}): Step {
  return { afterMs: 0, notify, repeat: null, condition: null, ...fields };
}

/** Feeds events through `decide` one by one, with the memory the store would keep. */
export function decisionRun(policy: Policy = samplePolicy): {
  feed(fields: Partial<HookEvent>, options?: { readonly duplicateOf?: string }): Effects;
  session(key?: string): Session | null;
  liveAlert(key?: string): Alert | null;
} {
  const sessions = new Map<string, Session>();
  const alerts = new Map<string, Alert>();
  let lastId = 0;
  const liveAlert = (key = 'claude:s1'): Alert | null =>
    [...alerts.values()].find(
      (alert) =>
        alert.sessionKey === key && (alert.state === 'open' || alert.state === 'acknowledged'),
    ) ?? null;

  return {
    feed(fields, { duplicateOf } = {}) {
      const event = sampleEvent(fields);
      const memory: Memory = {
        session: sessions.get(event.sessionKey) ?? null,
        alert: liveAlert(event.sessionKey),
        duplicateOf: duplicateOf ?? null,
        mutes: [],
        traffic: () => noTraffic,
      };
      const effects = decide(memory, event, {
        agents: traitsOf,
        policy,
        now: event.receivedAt,
        presence: unknownPresence,
        newId: () => {
          lastId += 1;
          return `id-${lastId}`;
        },
      });
      if (effects.session !== null) sessions.set(effects.session.key, effects.session);
      for (const alert of effects.alerts) alerts.set(alert.id, alert);
      return effects;
    },
    session: (key = 'claude:s1') => sessions.get(key) ?? null,
    liveAlert,
  };
}

/** Notified channels, with the delay of their step in ms: "desktop@0". */
export function told(effects: Effects, at: number): readonly string[] {
  return effects.deliveries.map(
    (delivery: NewDelivery) => `${delivery.channel}@${delivery.dueAt - at}`,
  );
}
