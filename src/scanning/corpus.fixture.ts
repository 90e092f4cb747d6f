import { readFileSync } from 'node:fs';
import { hashText } from '../util/index.ts';

/** Texts separated by lines of `%%%%`. Characters that an editor might remove are written as `\u{200b}`. */
export function readCorpus(name: string): string[] {
  const text = readFileSync(new URL(`corpus/${name}.txt`, import.meta.url), 'utf8');
  return text.split(/^%%%%\n/m).map((entry) => unescape(entry.replace(/\n$/, '')));
}

function unescape(entry: string): string {
  return entry.replace(/\\u\{([0-9a-f]+)\}/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}

export type CorpusLine = { family: string; text: string; isHeldOut: boolean };

/**
 * A corpus with one text per line, in sections that start with `# FAMILY`; `\n` is a line break. A third of the lines,
 * chosen by a hash, is held out: rules are written without looking at them, so that they show what a rule misses.
 */
export function readCorpusLines(name: string): CorpusLine[] {
  const lines = readFileSync(new URL(`corpus/${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean);
  let family = '';
  return lines.flatMap((line) => {
    if (line.startsWith('# ')) {
      family = line.slice(2).replace(/[:,].*/, '');
      return [];
    }
    const text = unescape(line.replaceAll('\\n', '\n'));
    return [{ family, text, isHeldOut: hashText(line) % 3 === 0 }];
  });
}
