/**
 * What a reader sees of a message, by the rules of Discord's client: formatting is removed, and everything that would
 * be shown as something else than its text, such as a mention or a custom emoji, becomes a mark like `⟦mention⟧`.
 */
export function visibleText(content: string): string {
  return read(content.trim(), { isQuoted: false });
}

type Context = { isQuoted: boolean };
type Rule = { pattern: RegExp; show(match: RegExpExecArray, context: Context): string | undefined };

const rule = (pattern: RegExp, show: Rule['show']): Rule => ({ pattern, show });
const inner = (match: RegExpExecArray, context: Context) => read(match.slice(1).find((part) => part) ?? '', context);

/** Rules that apply at the start of a line only. */
const LINE_RULES: readonly Rule[] = [
  rule(/^ *>>> +([\s\S]*)/, ([, text = ''], { isQuoted }) => (isQuoted ? undefined : read(text, { isQuoted: true }))),
  rule(/^ *>(?!>>) +[^\n]*(?:\n *>(?!>>) +[^\n]*)*\n?/, ([whole], { isQuoted }) =>
    isQuoted ? undefined : read(whole.replace(/^ *> ?/gm, ''), { isQuoted: true }),
  ),
  rule(/^ *#{1,3}[ \t]+([^\n]+)/, inner),
  rule(/^ *-#[ \t]+([^\n]+)/, inner),
  rule(/^( *)[-*] +(?=\S)/, ([, indent = '']) => `${indent}• `),
  rule(/^( *)\d+\. +(?=\S)/, ([, indent = '']) => `${indent}⟦number⟧ `),
];

/** Rules for formatting of which the longest match counts. */
const EMPHASIS: readonly RegExp[] = [
  /^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/,
  /^__((?:\\[\s\S]|[^\\])+?)__(?!_)/,
  /^\b_((?:__|\\[\s\S]|[^\\_])+?)_\b|^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/,
];

const RULES: readonly Rule[] = [
  rule(/^\\([^0-9A-Za-z\s])/u, ([, character]) => character),
  rule(/^```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][\s\S]*?)\n*```/i, ([, , code]) => code),
  rule(/^(`+)([\s\S]*?[^`])\1(?!`)/, ([, , code]) => code),
  rule(/^<(https?:\/\/[^ >]+)>/, ([, url]) => url),
  rule(/^<(?:@[!&]?|#)\d+>/, () => '⟦mention⟧'),
  rule(/^<a?:\w{2,32}:\d{17,21}>/, () => '⟦emoji⟧'),
  rule(/^<t:-?\d+(?::[tTdDfFR])?>/, () => '⟦time⟧'),
  rule(/^<\/[^:>]+:\d+>/, () => '⟦command⟧'),
  rule(/^:(?:[\w+-]*[A-Za-z+-][\w+-]*|100|1234):/, () => '⟦emoji⟧'),
  rule(
    /^\[((?:\[[^\]]*\]|[^[\]]|\](?=[^[]*\]))*)\]\(\s*<?((?:[^\s\\]|\\.)*?)>?(?:\s+['"]([\s\S]*?)['"])?\s*\)/,
    ([, label = '', url = ''], context) => (isMaskedLink(label, url) ? read(label, context) : undefined),
  ),
  rule(/^https?:\/\/[^\s<]+[^<.,:;"'\]\s]/, ([url]) => url),
  rule(/^~~([\s\S]+?)~~(?!_)/, inner),
  rule(/^\|\|([\s\S]+?)\|\|/, inner),
];

/** Discord does not hide an address behind a label that looks like another one. */
function isMaskedLink(label: string, url: string): boolean {
  return /^https?:\/\/[^/]/.test(url) && !/https?:\/\//.test(label) && label.trim() !== '';
}

function read(source: string, context: Context): string {
  let shown = '';
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at);
    const isLineStart = at === 0 || source[at - 1] === '\n';
    const found = readOne(rest, isLineStart, context);
    shown += found.shown;
    at += found.length;
  }
  return shown;
}

function readOne(rest: string, isLineStart: boolean, context: Context): { shown: string; length: number } {
  for (const { pattern, show } of isLineStart ? [...LINE_RULES, ...RULES] : RULES) {
    const match = pattern.exec(rest);
    const shown = match === null ? undefined : show(match, context);
    if (match !== null && shown !== undefined) return { shown, length: match[0].length };
  }
  const matches = EMPHASIS.map((pattern) => pattern.exec(rest)).filter((match) => match !== null);
  const longest = matches.reduce<RegExpExecArray | undefined>(
    (best, match) => (best === undefined || match[0].length > best[0].length ? match : best),
    undefined,
  );
  if (longest !== undefined) return { shown: inner(longest, context), length: longest[0].length };
  const character = String.fromCodePoint(rest.codePointAt(0) as number);
  return { shown: character, length: character.length };
}
