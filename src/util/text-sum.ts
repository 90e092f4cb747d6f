/**
 * A number of 32 bits for a text, to choose a place for it. Quick, and without loading anything; two texts may well have
 * the same, so what lies in the place has to say which it is of.
 */
export function textSum(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) >>> 0;
  return sum;
}
