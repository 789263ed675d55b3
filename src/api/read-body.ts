/** Reads a body up to so many bytes; the rest is let go. Bytes that are no UTF-8 become U+FFFD, a BOM goes. */
export async function readBody(
  response: Response,
  maxBytes: number,
): Promise<{ text: string; cut: boolean }> {
  if (response.body === null) return { text: '', cut: false };
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      return { text: pieces.join('') + decoder.decode(), cut: true };
    }
    pieces.push(decoder.decode(value, { stream: true }));
  }
  return { text: pieces.join('') + decoder.decode(), cut: false };
}
