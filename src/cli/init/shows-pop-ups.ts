import { desktopPrograms } from '../../channels/desktop/backend.ts';
import { backendsFor, createFallbackChain } from '../../channels/desktop/fallback-chain.ts';
import { desktopOptions } from '../../channels/desktop/pop-up.ts';

/** For the probes of all ways to show a pop-up, ms. */
const PATIENCE_MS = 3_000;

/** Whether the desktop channel would show pop-ups here, not only write to a terminal. */
export async function showsPopUps(
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const { platform } = process;
  const backends = backendsFor(desktopPrograms(platform, env), desktopOptions.parse({}), {
    now: Date.now,
    onReaction: () => undefined,
  });
  try {
    const chain = createFallbackChain(backends, Date.now);
    return await chain.warmUp(AbortSignal.timeout(PATIENCE_MS));
  } finally {
    for (const backend of backends) await backend.close?.();
  }
}
