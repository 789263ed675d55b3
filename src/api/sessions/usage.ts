import type { Session, SessionListItem } from './session.ts';
import { TokenUsage } from './session.ts';

export interface SessionCredits {
  readonly credits: number;
  /** Whether child sessions are included is not documented, so the two are named and never added. */
  readonly source: 'inclusiveTokenUsage' | 'tokenUsage';
}

/** Service credits of a session; null when it shows none. */
export function sessionCredits({
  sessionSettings,
}: Session | SessionListItem): SessionCredits | null {
  const inclusive = sessionSettings?.inclusiveTokenUsage?.serviceCredits ?? null;
  if (inclusive !== null) return { credits: inclusive, source: 'inclusiveTokenUsage' };
  const own = sessionSettings?.tokenUsage?.serviceCredits ?? null;
  return own === null ? null : { credits: own, source: 'tokenUsage' };
}

/** Usage of child sessions by id: as token usage where it reads as such, else as it came. */
export function childUsage({
  sessionSettings,
}: Session | SessionListItem): Map<string, { usage: TokenUsage | null; raw: unknown }> {
  const children = sessionSettings?.childInclusiveTokenUsageBySessionId ?? {};
  return new Map(
    Object.entries(children).map(([id, raw]) => {
      const parsed = TokenUsage.safeParse(raw);
      return [id, { usage: parsed.success ? parsed.data : null, raw }];
    }),
  );
}
