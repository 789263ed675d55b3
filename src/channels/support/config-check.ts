import type { ChannelCheck } from '../../core/channel.ts';
import { ConfigError } from '../../core/errors.ts';

/**
 * What `check` says when the configuration cannot work.
 *
 * @throws anything that is no ConfigError
 */
export function configCheck(error: unknown): ChannelCheck {
  if (!(error instanceof ConfigError)) throw error;
  const { message: summary, hint } = error;
  return hint === null ? { ok: false, summary } : { ok: false, summary, hint };
}
