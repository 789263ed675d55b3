import { boundaries } from './boundaries.ts';

/** What a coverage-guided fuzzer calls: the first byte chooses the boundary, the rest goes in. */
export async function fuzz(data: Buffer): Promise<void> {
  const boundary = boundaries[(data[0] ?? 0) % boundaries.length];
  await boundary?.take(data.subarray(1));
}
