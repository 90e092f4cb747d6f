import { type Cell, toCells } from '../cells.ts';
import type { Role, Theme } from '../theme.ts';
import { pairDelimiters } from './emphasis.ts';
import { type InlineItem, readInline } from './inline-items.ts';

/** What can be anything but plain text has one of these. */
const SPECIAL = /[\\*_~`[<&]|:\/\/|www\./;

/** One segment of a text with its emphasis, code and links, as cells. */
export function inlineCells(text: string, roles: readonly Role[], theme: Theme): Cell[] {
  if (!SPECIAL.test(text)) return toCells(text, roles);
  const items = readInline(text);
  pairDelimiters(items);
  return items.flatMap((item) => itemCells(item, item.roles.length === 0 ? roles : [...roles, ...item.roles], theme));
}

function itemCells(item: InlineItem, roles: readonly Role[], theme: Theme): Cell[] {
  switch (item.kind) {
    case 'text':
      return toCells(item.text, roles);
    case 'code':
      // Without colours the backticks stay: where a command begins and ends has to be seen.
      return toCells(theme.colours === 'none' ? `\`${item.text}\`` : item.text, [...roles, 'inlineCode']);
    case 'delimiter':
      return toCells(item.character.repeat(item.count), roles);
    case 'link':
      return linkCells(item, roles, theme);
  }
}

/** The address stays to be read: it is what decides whether one follows a link. */
function linkCells(item: Extract<InlineItem, { kind: 'link' }>, roles: readonly Role[], theme: Theme): Cell[] {
  const { text, address } = item;
  const linked: readonly Role[] = [...roles, 'link'];
  if (text === address || `mailto:${text}` === address) return toCells(text, linked);
  // Its text may have emphasis and code in it, and no other link.
  const cells = text.includes('://') ? toCells(text, linked) : inlineCells(text, linked, theme);
  return [...cells, ...toCells(' (', roles), ...toCells(address, [...roles, 'linkAddress']), ...toCells(')', roles)];
}
