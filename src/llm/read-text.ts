import type { HttpResponse } from './transport/http-types.ts';

/** Reads the text of a body up to a limit. */
export async function readText(response: HttpResponse, limit: number): Promise<{ text: string; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > limit) break;
  }
  const bytes = Buffer.concat(chunks).subarray(0, limit);
  return { text: new TextDecoder().decode(bytes), cut: size > limit };
}
