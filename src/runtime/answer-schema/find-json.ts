import type { JsonValue } from '../../base/index.ts';

export type FoundJson = { json: string; value: JsonValue };

const FENCE = /^[ \t]*(```|~~~)/;

/**
 * The JSON in an answer: all of it, where it is nothing else. Models put fences and words around it that nobody asked
 * for, so blocks are looked into as well, the last one first, and what stands between the outermost braces or brackets.
 */
export function findJson(text: string): FoundJson[] {
  const blocks = findBlocks(text.split('\n')).reverse();
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

/** What stands between fences. Line by line, because an answer may have any number of fences that nothing closes. */
function findBlocks(lines: readonly string[]): string[] {
  const bare = lines.map((line) => line.trim());
  const lastOnes = { '```': bare.lastIndexOf('```'), '~~~': bare.lastIndexOf('~~~') };
  const blocks: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = FENCE.exec(lines[at] ?? '')?.[1] as keyof typeof lastOnes | undefined;
    if (fence === undefined || lastOnes[fence] <= at) continue;
    const end = bare.indexOf(fence, at + 1);
    blocks.push(lines.slice(at + 1, end).join('\n'));
    at = end;
  }
  return blocks;
}
