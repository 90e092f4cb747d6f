import { Lexer, type Token, type Tokens } from 'marked';
import { type Cell, toCells } from '../cells.ts';
import type { Role, Theme } from '../theme.ts';

/** What can be anything but plain text has one of these. */
const SPECIAL = /[\\*_~`[\]<>&@]|:\/\/|www\./;
const LINE_BREAK_TAG = /^<br\s*\/?>$/i;

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** One segment of a text with its emphasis, code and links, as cells. */
export function inlineCells(text: string, roles: readonly Role[], theme: Theme): Cell[] {
  if (!SPECIAL.test(text)) return toCells(text, roles);
  return Lexer.lexInline(text).flatMap((token) => tokenCells(token, roles, theme));
}

const ROLE_OF: Record<string, Role> = { strong: 'bold', em: 'emphasis', del: 'struck' };

function tokenCells(token: Token, roles: readonly Role[], theme: Theme): Cell[] {
  const role = ROLE_OF[token.type];
  if (role !== undefined) return innerCells(token, roles.includes(role) ? roles : [...roles, role], theme);
  switch (token.type) {
    case 'codespan':
      return codeCells(String(token['text']), roles, theme);
    case 'link':
      return linkCells(token as Tokens.Link, roles, theme);
    case 'image':
      return toCells(`[${String(token['text']) || 'image'}] (${String(token['href'])})`, [...roles, 'linkAddress']);
    case 'br':
      return toCells('\n', roles);
    case 'html':
      // HTML is text for us, except for the one tag that people use for what Markdown lacks in tables.
      return toCells(LINE_BREAK_TAG.test(token.raw.trim()) ? '\n' : token.raw, roles);
    case 'escape':
      return toCells(String(token['text']), roles);
    default:
      return innerCells(token, roles, theme);
  }
}

function innerCells(token: Token, roles: readonly Role[], theme: Theme): Cell[] {
  const inner = 'tokens' in token ? token.tokens : undefined;
  if (inner !== undefined && inner.length > 0) return inner.flatMap((each) => tokenCells(each, roles, theme));
  return toCells(decodeEntities('text' in token ? String(token['text']) : token.raw), roles);
}

/** Without colours the backticks stay: where a command begins and ends has to be seen. */
function codeCells(text: string, roles: readonly Role[], theme: Theme): Cell[] {
  const shown = theme.colours === 'none' ? `\`${text}\`` : text;
  return toCells(shown, [...roles, 'inlineCode']);
}

/** The address stays to be read: it is what decides whether one follows a link. */
function linkCells(token: Tokens.Link, roles: readonly Role[], theme: Theme): Cell[] {
  const { href: address, text } = token;
  const cells = innerCells(token, [...roles, 'link'], theme);
  if (text === address || `mailto:${text}` === address || address === `http://${text}`) return cells;
  return [...cells, ...toCells(' (', roles), ...toCells(address, [...roles, 'linkAddress']), ...toCells(')', roles)];
}

function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|nbsp|#39);/g, (_, name: string) => ENTITIES[name] ?? "'");
}
