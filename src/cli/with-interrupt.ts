const interrupts = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs something that goes on until the person has enough: Ctrl-C, SIGTERM, a closed terminal and a reader of standard
 * output that goes away, such as `head`, abort its signal instead of ending the process, so that it can clean up.
 * Meanwhile a second Ctrl-C changes nothing.
 */
export async function withInterrupt<Result>(
  task: (interrupted: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  for (const signal of interrupts) process.on(signal, interrupt);
  process.stdout.on('error', interrupt);
  try {
    return await task(controller.signal);
  } finally {
    for (const signal of interrupts) process.off(signal, interrupt);
    process.stdout.off('error', interrupt);
  }
}

/** Settles when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
