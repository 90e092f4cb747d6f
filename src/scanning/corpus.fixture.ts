import { readFileSync } from 'node:fs';

/** Texts separated by lines of `%%%%`. Characters that an editor might remove are written as `\u{200b}`. */
export function readCorpus(name: string): string[] {
  const text = readFileSync(new URL(`corpus/${name}.txt`, import.meta.url), 'utf8');
  return text.split(/^%%%%\n/m).map((entry) => unescape(entry.replace(/\n$/, '')));
}

function unescape(entry: string): string {
  return entry.replace(/\\u\{([0-9a-f]+)\}/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}
