const MAX_BYTES = 65_536;

/** At most `mostBytes` of a body as text; then the stream is closed: a remote may never end. */
export async function boundedText(
  body: AsyncIterable<Uint8Array> | null,
  mostBytes = MAX_BYTES,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= mostBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString();
}

/** Null where it is longer than `mostBytes`: the rest stays unread, and the stream is closed. */
export async function readWithin(
  stream: AsyncIterable<unknown>,
  mostBytes: number,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.length;
    if (size > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
