/** Calls a minute of each tier (https://docs.slack.dev/apis/web-api/rate-limits); Slack lets a few more pass. */
const tiers: Readonly<Record<string, number>> = {
  'chat.update': 50,
  'conversations.history': 50,
  'conversations.replies': 50,
  'conversations.open': 50,
  'users.lookupByEmail': 50,
  'chat.postEphemeral': 100,
  'views.open': 100,
  'views.publish': 100,
};

const POST = 'chat.postMessage';

/** `chat.postMessage` takes one message a second and channel, and short bursts. */
const POST_BURST = 5;

const OVERUSE = 20;

/** Slack's limits of the Web API, and what they refused. */
export interface SlackRateLimits {
  /** How long to wait, s; null: the call may be made. */
  take(method: string, channel: string): number | null;
  /** Another program uses more of a method than it allows: the limits are the app's. */
  use(method: string, channel: string): void;
  /** Calls that got a 429, by method. */
  readonly refused: Record<string, number>;
  /** Calls of a method before the time that its last 429 had asked for. */
  readonly unheeded: Record<string, number>;
}

/**
 * @param now ms
 * @param underWayMs calls that were made before the first 429 arrived come this much later at most
 */
export function createSlackRateLimits(now: () => number, underWayMs = 2_000): SlackRateLimits {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const pauses = new Map<string, { readonly since: number; readonly until: number }>();
  const refused: Record<string, number> = {};
  const unheeded: Record<string, number> = {};
  return {
    refused,
    unheeded,
    use(method, channel) {
      buckets.set(keyOf(method, channel), { tokens: -OVERUSE, at: now() });
    },
    take(method, channel) {
      const isPost = method === POST;
      const most = isPost ? POST_BURST : tiers[method];
      if (most === undefined) return null;
      const perMs = isPost ? 1 / 1_000 : most / 60_000;
      const key = keyOf(method, channel);
      const at = now();
      const pause = pauses.get(key);
      const isPaused = pause !== undefined && at > pause.since + underWayMs && at < pause.until;
      if (isPaused) unheeded[method] = (unheeded[method] ?? 0) + 1;
      const bucket = buckets.get(key) ?? { tokens: most, at };
      const tokens = Math.min(most, bucket.tokens + (at - bucket.at) * perMs);
      const isFree = tokens >= 1;
      buckets.set(key, { tokens: isFree ? tokens - 1 : tokens, at });
      if (isFree) return null;
      const seconds = Math.max(1, Math.ceil((1 - tokens) / perMs / 1_000));
      pauses.set(key, { since: at, until: at + seconds * 1_000 });
      refused[method] = (refused[method] ?? 0) + 1;
      return seconds;
    },
  };
}

/** The limits of posting are per channel. */
function keyOf(method: string, channel: string): string {
  return method === POST ? `${method} ${channel}` : method;
}
