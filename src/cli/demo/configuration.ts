import type { Mock } from '../../mock/server.ts';

/** How long things take in the demo, ms. */
export interface Tempo {
  /** From a question nobody answers to the message to the team. */
  readonly escalationMs: number;
  /** What rings within so long after another ring is told together. */
  readonly burstMs: number;
  /** How long the end of a turn waits while the session runs. */
  readonly holdMs: number;
}

/** @param speed 2: twice as fast */
export function tempoOf(speed: number): Tempo {
  return {
    escalationMs: Math.round(3_000 / speed),
    burstMs: Math.round(1_000 / speed),
    holdMs: 2_000,
  };
}

/** The configuration of the demo: JSON, which is YAML. */
export function configurationText(
  { escalationMs, burstMs, holdMs }: Tempo,
  places: {
    readonly webhook: string;
    readonly log: string;
    readonly api: Pick<Mock, 'baseUrl' | 'appUrl' | 'keys'>;
  },
): string {
  const { baseUrl, appUrl, keys } = places.api;
  const configuration = {
    channels: {
      desktop: { type: 'desktop', rung: 'dbus' },
      team: { type: 'slack', webhook: places.webhook, allow_any_host: true },
      log: { type: 'file', path: places.log },
    },
    plans: {
      escalate: [{ notify: ['desktop', 'log'] }, { after: `${escalationMs}ms`, notify: 'team' }],
      tell: [{ notify: ['desktop', 'log'] }],
    },
    routes: [
      { match: { kind: 'waiting' }, plan: 'escalate' },
      { match: { kind: 'turn.done' }, plan: 'tell' },
    ],
    noise: { burst: { window: `${burstMs}ms` } },
    // The play is about the plans: whether somebody looks at a terminal must not change it.
    presence: { when_watching: 'ring' },
    alerts: { settle: 0 },
    api: {
      base_url: baseUrl,
      app_url: appUrl,
      key: keys.owner,
      hold_stop_while_running: `${holdMs}ms`,
    },
  };
  return `${JSON.stringify(configuration, null, 2)}\n`;
}
