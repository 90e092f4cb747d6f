import type { SearchHit } from './search-services.ts';

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** The hits of DuckDuckGo's page without scripts; undefined where the page is another one, such as a puzzle. */
export function parseResultPage(html: string): SearchHit[] | undefined {
  // Each hit begins with its title, and what comes before the first is none.
  const [before = '', ...parts] = html.split('class="result__a"');
  if (parts.length === 0) return /class="[^"]{0,200}no-results/.test(before) ? [] : undefined;
  return parts.map((part) => ({
    title: plain(between(part, '>', '</a>')),
    url: targetOf(decodeEntities(between(part, 'href="', '"'))),
    snippet: plain(between(after(part, 'class="result__snippet"'), '>', '</a>')),
  }));
}

/** Addresses lead through a page that counts; the real one is a parameter of it. */
function targetOf(href: string): string {
  if (!URL.canParse(href, 'https://duckduckgo.com')) return '';
  const url = new URL(href, 'https://duckduckgo.com');
  return url.searchParams.get('uddg') ?? url.href;
}

function after(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? '' : text.slice(at + mark.length);
}

function between(text: string, open: string, close: string): string {
  const rest = after(text, open);
  const end = rest.indexOf(close);
  return end < 0 ? '' : rest.slice(0, end);
}

/** Words of a piece of HTML, without its tags. */
export function plain(html: string): string {
  return decodeEntities(html.replace(/<[^<>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim();
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}
