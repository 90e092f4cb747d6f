import type { Role } from '../theme.ts';
import type { InlineItem } from './inline-items.ts';

type Delimiter = Extract<InlineItem, { kind: 'delimiter' }>;

/** Finds which delimiters belong together, and gives what stands between them its role. */
export function pairDelimiters(items: InlineItem[]): void {
  for (let at = 0; at < items.length; at++) {
    const closer = items[at];
    while (closer?.kind === 'delimiter' && closer.closes && closer.count > 0) {
      const start = findOpener(items, at, closer);
      if (start === undefined) break;
      joinPair(items, start, at);
    }
  }
}

function findOpener(items: readonly InlineItem[], before: number, closer: Delimiter): number | undefined {
  for (let at = before - 1; at >= 0; at--) {
    const item = items[at];
    if (item?.kind !== 'delimiter' || item.character !== closer.character || !item.opens || item.count === 0) continue;
    // What could be either opens or closes as it fits; Markdown keeps `**a*b**` from being torn apart with this rule.
    const either = item.closes || closer.opens;
    if (!either || (item.count + closer.count) % 3 !== 0 || (item.count % 3 === 0 && closer.count % 3 === 0)) return at;
  }
  return undefined;
}

function joinPair(items: InlineItem[], start: number, end: number): void {
  const [opener, closer] = [items[start], items[end]];
  if (opener?.kind !== 'delimiter' || closer?.kind !== 'delimiter') return;
  const strength = Math.min(2, opener.count, closer.count);
  const role = roleOf(opener.character, strength);
  for (const item of items.slice(start + 1, end)) {
    if (!item.roles.includes(role)) item.roles.unshift(role);
    // What was opened in between and not closed there never will be.
    if (item.kind === 'delimiter') item.opens = item.closes = false;
  }
  opener.count -= strength;
  closer.count -= strength;
}

function roleOf(character: string, strength: number): Role {
  if (character === '~') return 'struck';
  return strength === 2 ? 'bold' : 'emphasis';
}
