/** Reads at most the first `max` bytes of an answer's body as text, and leaves the rest unread. */
export async function boundedText(
  body: AsyncIterable<Uint8Array> | null,
  max: number,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= max) break;
  }
  return Buffer.concat(chunks).subarray(0, max).toString();
}
