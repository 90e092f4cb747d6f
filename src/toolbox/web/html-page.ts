import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import type { PageText } from './fetch-page.ts';

/** Longer pages are truncated, because parsing them takes many seconds. */
const MAX_HTML = 2_000_000;
/** Minimum length of an article; below it the whole page is used. */
const SHORT = 200;
const NOISE = 'script, style, noscript, template, iframe, object, embed, svg, canvas, form, nav, head, title';

/** Converts the main content of a page to Markdown, or the whole page if none is found. */
export function readHtml(html: string, url: string): PageText {
  const document = parse(html.slice(0, MAX_HTML), url);
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  // Readability modifies its document, so it gets a copy.
  const article = new Readability(document.cloneNode(true) as Document, { keepClasses: true }).parse();
  const text = article?.content ? toMarkdown(parse(article.content, url)) : '';
  const whole = text.length < SHORT ? wholePage(document) : '';
  const isArticle = whole.length <= text.length * 4;
  return {
    title: article?.title || title,
    text: isArticle ? text : whole,
    note: html.length > MAX_HTML ? 'very long page, truncated' : undefined,
  };
}

function parse(html: string, url: string): Document {
  const { document } = parseHTML(html);
  // The parser does not add missing html and body elements, so fragments are wrapped.
  const isPage = document.documentElement?.querySelector(':scope > body') ?? null;
  if (isPage !== null) return withWholeAddresses(document, url);
  const wrapped = parseHTML(`<!doctype html><html><head></head><body>${html}</body></html>`);
  return withWholeAddresses(wrapped.document, url);
}

/** Makes URLs absolute. */
function withWholeAddresses(document: Document, url: string): Document {
  const written = document.querySelector('base[href]')?.getAttribute('href') ?? '';
  const base = URL.canParse(written, url) ? new URL(written, url).href : url;
  for (const name of ['href', 'src']) {
    for (const element of document.querySelectorAll(`a[${name}], img[${name}]`)) {
      const address = element.getAttribute(name) ?? '';
      if (URL.canParse(address, base)) element.setAttribute(name, new URL(address, base).href);
    }
  }
  return document;
}

function wholePage(document: Document): string {
  for (const element of document.querySelectorAll(NOISE)) element.remove();
  return toMarkdown(document);
}

function toMarkdown(document: Document): string {
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  service.remove(['title', 'head', 'script', 'style']);
  // Omit data URLs.
  service.addRule('inlinePicture', {
    filter: (node) => node.nodeName === 'IMG' && /^data:/i.test(node.getAttribute('src') ?? ''),
    replacement: () => '',
  });
  addTableRules(service);
  return service.turndown(document.body).trim();
}

const BLOCKS = 'table, p, div, ul, ol, pre, blockquote, h1, h2, h3, h4, h5, h6';

/** Converts data tables to Markdown tables. Layout tables stay blocks. */
function addTableRules(service: TurndownService): void {
  const isData = createDataCheck();
  service.addRule('cell', {
    filter: (node) => isCell(node) && isData(node),
    replacement: (content) => ` ${content.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim()} |`,
  });
  service.addRule('row', {
    filter: (node) => node.nodeName === 'TR' && isData(node),
    replacement: (content, node) => {
      const row = `\n|${content.replace(/\n+/g, ' ')}`;
      const isFirst = node.isSameNode((node as Element).closest('table')?.querySelector('tr') ?? null);
      return isFirst ? `${row}\n|${' --- |'.repeat(cellsOf(node).length)}` : row;
    },
  });
  service.addRule('rows', {
    filter: (node) => ['THEAD', 'TBODY', 'TFOOT'].includes(node.nodeName) && isData(node),
    replacement: (content) => content,
  });
}

function isCell(node: Element): boolean {
  return node.nodeName === 'TD' || node.nodeName === 'TH';
}

function cellsOf(row: Element): Element[] {
  return [...row.children].filter(isCell);
}

/** A table with block elements is a layout table. The result is cached per table. */
function createDataCheck(): (node: Element) => boolean {
  const known = new WeakMap<Element, boolean>();
  return (node) => {
    const table = node.closest('table');
    if (table === null) return false;
    const isData = known.get(table) ?? table.querySelector(BLOCKS) === null;
    known.set(table, isData);
    return isData;
  };
}
