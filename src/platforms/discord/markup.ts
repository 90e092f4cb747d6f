import { forEachRun, plain, sliceStyled, type Span, type Style, type StyledText } from '../text/styled-text.ts';

/**
 * Writes a text in Discord's Markdown. Discord's parser is a list of regular expressions, so formatting is written only
 * where none of them can misread it; elsewhere the text stays plain. The visible text is always the text.
 */
export function writeMarkup(whole: StyledText): string {
  let markup = '';
  let from = 0;
  const writeLines = (to: number) => {
    if (to > from) markup += linesOf(whole, { from, to });
  };
  for (const block of whole.spans.filter(isBlock)) {
    if (block.from < from || !canFence(whole.text.slice(block.from, block.to))) continue;
    writeLines(block.from);
    const { style } = block;
    const language = style.kind === 'block' ? (style.language ?? '') : '';
    markup += `\`\`\`${LANGUAGE.test(language) ? language : ''}\n${whole.text.slice(block.from, block.to)}\n\`\`\``;
    from = block.to;
  }
  writeLines(whole.text.length);
  return markup;
}

const LANGUAGE = /^[a-z0-9_+\-.#]{1,30}$/i;
const isBlock = ({ style }: Span) => style.kind === 'block';

function canFence(code: string): boolean {
  return !code.includes('```') && /[^\s`]/.test(code);
}

/** Writes lines, each with its own formatting, so that none crosses the end of a line. */
function linesOf({ text, spans }: StyledText, { from, to }: { from: number; to: number }): string {
  const lines: string[] = [];
  // Spans are sorted by their start, so only those near a line are checked.
  let next = 0;
  let active: Span[] = [];
  for (let start = from; start <= to; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 || newline > to ? to : newline;
    for (let span = spans[next]; span !== undefined && span.from <= end; span = spans[next]) {
      active.push(span);
      next += 1;
    }
    active = active.filter((span) => span.to > start);
    // Where a fence ends or starts, no line does.
    const isStart = start === 0 || text[start - 1] === '\n';
    const isComplete = isStart && (end === text.length || text[end] === '\n');
    const covers = (span: Span) => span.style.kind === 'quote' && span.from <= start && span.to >= end;
    lines.push(
      (isComplete && active.some(covers) ? '> ' : '') + writeLine(sliceSpans(text, active, start, end), isStart),
    );
    start = end + 1;
  }
  return lines.join('\n');
}

const sliceSpans = (text: string, spans: readonly Span[], from: number, to: number) =>
  from === to ? plain('') : sliceStyled({ text, spans }, from, to);

type Emphasis = 'strike' | 'bold' | 'italic';
/** A word, space between words, or code. */
type Token = { text: string; isCode: boolean; url: string | undefined; emphasis: readonly Emphasis[] };

/** The order of nesting, outermost first. */
const EMPHASES: readonly Emphasis[] = ['strike', 'bold', 'italic'];
const MARKS: Readonly<Record<Emphasis, string>> = { strike: '~~', bold: '**', italic: '_' };

function writeLine(line: StyledText, isLineStart: boolean): string {
  const tokens = mergeWords(dropInnerItalics(joinSpaces(dropUnsafe(tokensOf(line)))));
  let markup = '';
  let open: Emphasis[] = [];
  let url: string | undefined;
  // Discord reads the text within a format like a text of its own, so it can start like a line.
  let isStart = isLineStart;
  const close = (kept: number) => {
    for (const emphasis of open.slice(kept).toReversed()) markup += MARKS[emphasis];
    open = open.slice(0, kept);
  };
  const switchTo = (token: Pick<Token, 'url' | 'emphasis'>) => {
    const wanted = token.emphasis;
    const different = token.url === url ? wanted.findIndex((emphasis, index) => open[index] !== emphasis) : 0;
    close(different < 0 ? wanted.length : different);
    if (token.url !== url) {
      if (url !== undefined) markup += `](${url})`;
      if (token.url !== undefined) markup += '[';
      isStart ||= token.url !== undefined;
      url = token.url;
    }
    for (const emphasis of wanted.slice(open.length)) {
      markup += MARKS[emphasis];
      open.push(emphasis);
      isStart = true;
    }
  };
  for (const [index, token] of tokens.entries()) {
    switchTo(token);
    const isSpace = token.text.trim() === '';
    const next = tokens[index + 1];
    // An address does not end before marks.
    const isEnd = next === undefined || !isWord(next);
    markup += token.isCode ? `\`${token.text}\`` : escapeText(token.text, { isStart: isStart && !isSpace, isEnd });
    isStart &&= isSpace;
  }
  switchTo({ url: undefined, emphasis: [] });
  return markup;
}

function tokensOf(line: StyledText): Token[] {
  const tokens: Token[] = [];
  forEachRun(line, (text, styles) => {
    const isCode = styles.some(({ kind }) => kind === 'code') && canQuoteCode(text);
    const url = styles.map(targetOf).findLast((found) => found !== undefined);
    if (isCode) {
      const last = tokens.at(-1);
      // Two adjacent pieces of code would be read as one with the marks inside.
      if (last?.isCode && last.url === url) last.text += text;
      else tokens.push({ text, isCode, url, emphasis: [] });
      return;
    }
    const emphasis = EMPHASES.filter((one) => styles.some(({ kind }) => kind === one));
    for (const part of text.split(/(\s+)/)) if (part !== '') tokens.push({ text: part, isCode, url, emphasis });
  });
  return tokens;
}

const targetOf = (style: Style) => (style.kind === 'link' ? style.url : undefined);
const canQuoteCode = (text: string) => !text.includes('`') && text.trim() !== '';

/** Space belongs to a format only if the words on both sides do, because a format must not start or end with space. */
function joinSpaces(tokens: readonly Token[]): Token[] {
  return tokens.map((token, index) => {
    if (token.isCode || token.text.trim() !== '') return token;
    const [before, after] = [findWord(tokens, index, -1), findWord(tokens, index, 1)];
    const isInside = before !== undefined && after !== undefined && before.url === after.url;
    const emphasis = isInside
      ? token.emphasis.filter((one, at) => before.emphasis[at] === one && after.emphasis[at] === one)
      : [];
    return { ...token, url: isInside ? before.url : undefined, emphasis };
  });
}

const isWord = ({ text, isCode }: Token) => isCode || text.trim() !== '';

/** The next word in a direction. */
function findWord(tokens: readonly Token[], from: number, step: 1 | -1): Token | undefined {
  let at = from + step;
  while (at >= 0 && at < tokens.length && !isWord(tokens[at] as Token)) at += step;
  return tokens[at];
}

/** Removes formats that text with their own marks would end too early. */
function dropUnsafe(tokens: readonly Token[]): Token[] {
  return tokens.map((token) => {
    const without: Emphasis[] = [];
    // These characters cannot be escaped in every place.
    if (token.text.includes('~')) without.push('strike');
    if (token.text.includes('_') && /https?:/.test(token.text)) without.push('italic');
    return without.length === 0 ? token : withoutEmphasis(token, without);
  });
}

/** Removes italics that start or end inside a word, where Discord does not recognise them. */
function dropInnerItalics(tokens: readonly Token[]): Token[] {
  const kept = [...tokens];
  for (let index = 0; index < kept.length; index += 1) {
    const start = kept[index] as Token;
    if (!start.emphasis.includes('italic') || isSame(kept[index - 1], start)) continue;
    let end = index;
    while (isSame(kept[end + 1], start)) end += 1;
    if (touchesWord(kept[index - 1], start, kept[end + 1])) {
      for (let at = index; at <= end; at += 1) {
        kept[at] = withoutEmphasis(kept[at] as Token, ['italic']);
      }
    }
  }
  return kept;
}

/** Joins words that are no longer formatted differently, so that they are escaped together. */
function mergeWords(tokens: readonly Token[]): Token[] {
  const merged: Token[] = [];
  for (const token of tokens) {
    const last = merged.at(-1);
    const isPlain = last !== undefined && !last.isCode && !token.isCode && isWord(last) && isWord(token);
    if (isPlain && last.url === token.url && sameOuter(last, token)) {
      merged[merged.length - 1] = { ...last, text: last.text + token.text };
    } else merged.push(token);
  }
  return merged;
}

function withoutEmphasis(token: Token, without: readonly Emphasis[]): Token {
  return { ...token, emphasis: token.emphasis.filter((one) => !without.includes(one)) };
}

/** Whether a token continues the italics of another. */
function isSame(token: Token | undefined, other: Token): boolean {
  return token !== undefined && token.emphasis.includes('italic') && token.url === other.url && sameOuter(token, other);
}

/** The marks of outer formats between two tokens would end the italics, too. */
function sameOuter(a: Token, b: Token): boolean {
  return a.emphasis.join() === b.emphasis.join();
}

const WORD = /[\p{L}\p{N}\p{M}_]/u;

/** Underscores inside a word are not a format. */
function touchesWord(before: Token | undefined, token: Token, after: Token | undefined): boolean {
  const [previous = '', next = ''] = [[...(before?.text ?? '')].at(-1), [...(after?.text ?? '')][0]];
  const isPlainBefore = before !== undefined && !before.isCode && before.url === token.url;
  const isPlainAfter = after !== undefined && !after.isCode && after.url === token.url;
  const isAfterStrike = isPlainBefore && before.emphasis.includes('strike') && !token.emphasis.includes('strike');
  return isAfterStrike || (isPlainBefore && WORD.test(previous)) || (isPlainAfter && WORD.test(next));
}

/** Addresses that Discord shows as links. Inside them, nothing can be escaped. */
const ADDRESS = /https?:\/\/\S+/g;
const SAFE_ADDRESS = /^https?:\/\/[A-Za-z0-9][\w.\-/?#@!$&'()+,;=%:]*[\w\-/?#@!$&()+=%][.,:;']*$/;

/** `isEnd`: whether space follows, so that an address ends there. */
function escapeText(text: string, { isStart, isEnd }: { isStart: boolean; isEnd: boolean }): string {
  let escaped = '';
  let from = 0;
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    escaped += escapeLastColon(escapeMarks(text.slice(from, index)));
    // The escaped colon makes it plain text, so that the rest can be escaped.
    escaped += isEnd && SAFE_ADDRESS.test(address) ? address : defuse(escapeMarks(address));
    from = index + address.length;
  }
  const rest = defuse(escapeMarks(text.slice(from)));
  escaped += isEnd ? rest : escapeLastColon(rest);
  return isStart ? escapeLineStart(escaped) : escaped;
}

/** The name of an emoji could continue in what follows: an address, or the marks of a format. */
function escapeLastColon(text: string): string {
  return text.replace(/:(?=[\w+-]*$)/, '\\:');
}

/** Makes addresses plain text. */
function defuse(text: string): string {
  return text.replaceAll('://', '\\://');
}

function escapeMarks(text: string): string {
  return text.replace(/[\\*_~`|<[]/g, '\\$&').replace(/:(?=[\w+-]+:)/g, '\\:');
}

/** What would start a heading, a quote, a list or small text. */
function escapeLineStart(text: string): string {
  return text
    .replace(/^([#>-]|\d+(?=\.))/, (start) => (/\d/.test(start) ? start : `\\${start}`))
    .replace(/^(\d+)\./, '$1\\.');
}
