/** A number of a long benchmark, or with HOOKBELL_BENCH_PART=0.05 a twentieth of it, to try the benchmark itself. */
export function part(count: number): number {
  const fraction = Number(process.env['HOOKBELL_BENCH_PART'] ?? 1);
  // Whole batches for each of two processes.
  return Math.max(100, Math.ceil((count * fraction) / 100) * 100);
}
