/**
 * A 64-bit fingerprint of a text, for comparisons where nobody gains from a forged one or where the texts are compared
 * as well. `digestOf` is safe but loads node:crypto, which takes 4 ms; every start would pay for it.
 */
export function fingerprintOf(text: string): string {
  const length = Buffer.byteLength(text);
  // Whole words, because a loop over single characters takes four times as long in a new process.
  const bytes = Buffer.alloc(Math.ceil(length / 4) * 4);
  bytes.write(text);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  let [left, right] = [length, ~length];
  // Without function calls, because the first request waits for this loop, which is not optimised yet.
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as number;
    left = Math.imul(left ^ word, 0x9e3779b1);
    left ^= left >>> 15;
    right = Math.imul(right ^ word, 0x85ebca6b);
    right = (right << 13) | (right >>> 19);
  }
  return [left, right ^ left].map((half) => finish(half).toString(16).padStart(8, '0')).join('');
}

/** Lets every bit of the sum influence every bit of the result. */
function finish(sum: number): number {
  let value = sum;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
