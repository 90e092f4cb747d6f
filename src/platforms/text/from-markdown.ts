import { Lexer, type Token, type Tokens } from 'marked';
import { plain, type Style, type StyledText, StyledWriter } from './styled-text.ts';

/** Converts an answer in Markdown. Constructs that chats do not have become text that reads the same. */
export function fromMarkdown(markdown: string): StyledText {
  return blocks(new Lexer({ gfm: true }).lex(markdown), '\n\n');
}

function blocks(tokens: readonly Token[], separator: string): StyledText {
  return join(tokens.filter(({ type }) => type !== 'space' && type !== 'def').map(block), separator);
}

function join(parts: readonly StyledText[], separator: string): StyledText {
  const writer = new StyledWriter();
  for (const part of parts.filter(({ text }) => text !== '')) {
    if (writer.length > 0) writer.add(plain(separator));
    writer.add(part);
  }
  return writer.finish();
}

function styled(part: StyledText, style: Style): StyledText {
  const writer = new StyledWriter();
  writer.add(part, style);
  return writer.finish();
}

function block(token: Token): StyledText {
  switch (token.type) {
    case 'heading':
      return styled(inlineOf(token), { kind: 'bold' });
    case 'code': {
      const { text, lang } = token as Tokens.Code;
      const language = /^[\w+#.-]+/.exec(lang ?? '')?.[0];
      return styled(plain(text), language === undefined ? { kind: 'block' } : { kind: 'block', language });
    }
    case 'blockquote':
      return styled(blocks((token as Tokens.Blockquote).tokens, '\n\n'), { kind: 'quote' });
    case 'list':
      return list(token as Tokens.List);
    case 'table':
      return styled(plain(table(token as Tokens.Table)), { kind: 'block' });
    case 'hr':
      return plain('———');
    case 'html':
      return plain(token.raw.trimEnd());
    default:
      return inlineOf(token);
  }
}

function list({ items, ordered, start, loose }: Tokens.List): StyledText {
  const first = typeof start === 'number' ? start : 1;
  const lines = items.map((item, index) => {
    const box = item.task ? (item.checked ? '☑ ' : '☐ ') : '';
    const marker = ordered ? `${first + index}. ` : box === '' ? '• ' : '';
    const body = blocks(
      item.tokens.filter(({ type }) => type !== 'checkbox'),
      '\n',
    );
    return indent(body, `${marker}${box}`);
  });
  return join(lines, loose ? '\n\n' : '\n');
}

/** Puts a marker before the first line, and as much space before the others. */
function indent(body: StyledText, marker: string): StyledText {
  const writer = new StyledWriter();
  writer.add(plain(marker));
  const lead = ' '.repeat(marker.length);
  const starts = [0, ...[...body.text.matchAll(/\n(?!\n|$)/g)].map(({ index }) => index + 1)];
  const shift = (at: number) => marker.length + lead.length * (starts.filter((start) => start <= at).length - 1);
  const text = marker + starts.map((start, index) => body.text.slice(start, starts[index + 1])).join(lead);
  // The end of a span is the place after its last character.
  const spans = body.spans.map(({ from, to, style }) => ({ from: from + shift(from), to: to + shift(to - 1), style }));
  return { text, spans };
}

/** Chats have no tables, so columns are aligned in a code block. */
function table({ header, rows }: Tokens.Table): string {
  const cells = [header, ...rows].map((row) => row.map(({ tokens }) => inline(tokens).text.replaceAll('\n', ' ')));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => [...(row[column] ?? '')].length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  const [head = [], ...body] = cells;
  return [line(head), rule, ...body.map(line)].join('\n');
}

function inlineOf(token: Token): StyledText {
  return 'tokens' in token && token.tokens !== undefined ? inline(token.tokens) : inlineToken(token);
}

function inline(tokens: readonly Token[]): StyledText {
  const writer = new StyledWriter();
  for (const token of tokens) writer.add(inlineToken(token));
  return writer.finish();
}

function inlineToken(token: Token): StyledText {
  switch (token.type) {
    case 'strong':
      return styled(inlineOf(token), { kind: 'bold' });
    case 'em':
      return styled(inlineOf(token), { kind: 'italic' });
    case 'del':
      return styled(inlineOf(token), { kind: 'strike' });
    case 'codespan':
      return styled(plain((token as Tokens.Codespan).text), { kind: 'code' });
    case 'br':
      return plain('\n');
    case 'link':
      return link(inlineOf(token), (token as Tokens.Link).href);
    case 'image': {
      const { text, href } = token as Tokens.Image;
      return link(plain(text === '' ? href : text), href);
    }
    case 'text':
      return 'tokens' in token && token.tokens !== undefined
        ? inline(token.tokens)
        : plain(decode((token as Tokens.Text).text));
    case 'escape':
      return plain((token as Tokens.Escape).text);
    default:
      return plain(token.raw);
  }
}

/** Only addresses of the web and of mail become links, so that no link can start a program. */
function link(label: StyledText, url: string): StyledText {
  if (!/^(?:https?:\/\/|mailto:)/i.test(url) || label.text.trim() === '') return label.text === '' ? plain(url) : label;
  return styled(label, { kind: 'link', url });
}

const REFERENCES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/** Replaces the character references that people write in Markdown. */
function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return REFERENCES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}
