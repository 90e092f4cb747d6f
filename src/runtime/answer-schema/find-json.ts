import type { JsonValue } from '../../base/index.ts';

export type FoundJson = { json: string; value: JsonValue };

const FENCED = /^[ \t]*(```|~~~)[^\n]*\n([^]*?)^[ \t]*\1[ \t]*$/gm;

/**
 * The JSON in an answer: all of it, where it is nothing else. Models put fences and words around it that nobody asked
 * for, so blocks are looked into as well, the last one first, and what stands between the outermost braces or brackets.
 */
export function findJson(text: string): FoundJson[] {
  const blocks = [...text.matchAll(FENCED)].map((match) => match[2] ?? '').reverse();
  return [text, ...blocks, between(text, '{', '}'), between(text, '[', ']')].flatMap((candidate) => {
    const json = candidate.trim();
    try {
      return json === '' ? [] : [{ json, value: JSON.parse(json) as JsonValue }];
    } catch {
      return [];
    }
  });
}

function between(text: string, opening: string, closing: string): string {
  const start = text.indexOf(opening);
  return start < 0 ? '' : text.slice(start, text.lastIndexOf(closing) + 1);
}
