const MAX_BYTES = 65_536;

/**
 * Reads the body of an HTTP answer as text, at most its first 64 KB: the rest stays unread, and the stream is closed,
 * since a hostile far side may send without end.
 */
export async function boundedText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= MAX_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES).toString();
}
