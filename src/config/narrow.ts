import type { MachinePolicy } from '../core/hub/machine-policy.ts';
import { bodyDetails } from '../core/notification.ts';
import type { Config } from './config.ts';

/** The configuration without what the policy of a hub forbids. A policy never allows what the configuration forbids. */
export function narrow(config: Config, policy: MachinePolicy): Config {
  const { text = 'full', redact, channels, hubOnly = [] } = policy;
  const isRedacted = redact === true;
  const forbidden = config.channels
    .filter(({ type }) => type !== 'inbox' && channels?.includes(type) === false)
    .map(({ name }) => name);
  const watchOff = Object.fromEntries(
    hubOnly.flatMap((name) => (name in config.watch ? [[name, null]] : [])),
  );
  return {
    ...config,
    channels: config.channels.map((channel) => ({
      ...channel,
      body: bodyDetails[Math.max(levelOf(channel.body), levelOf(text))] ?? 'none',
      redact: isRedacted || channel.redact,
    })),
    redact: isRedacted ? { ...config.redact, notifications: true, history: true } : config.redact,
    digest: hubOnly.includes('digest') ? null : config.digest,
    budget: hubOnly.includes('budget') ? null : config.budget,
    watch: { ...config.watch, ...watchOff },
    policy: { ...config.policy, forbiddenChannels: forbidden },
  };
}

/** The higher, the less is shown. */
function levelOf(detail: (typeof bodyDetails)[number]): number {
  return bodyDetails.indexOf(detail);
}
