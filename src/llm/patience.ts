/** Characters of a request, about 50,000 tokens. */
const LARGE_PROMPT = 200_000;

/** A model reads a large prompt in silence; it may take longer for it, up to three times as long. */
export function patienceFor(body: string): number {
  return body.length <= LARGE_PROMPT ? 1 : Math.min(1 + body.length / (5 * LARGE_PROMPT), 3);
}
