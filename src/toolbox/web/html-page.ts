import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import type { PageText } from './fetch-page.ts';

/** Of more than this, parsing alone takes many seconds; a text of this length is seldom read to its end. */
const MAX_HTML = 2_000_000;
/** What an article has at least; below it the whole page says more. */
const SHORT = 200;
const NOISE = 'script, style, noscript, template, iframe, object, embed, svg, canvas, form, nav, head, title';

/** The main part of a page as Markdown; the whole of it where no main part can be told. */
export function readHtml(html: string, url: string): PageText {
  const document = parse(html.slice(0, MAX_HTML), url);
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  // Reading changes the document, so that what is left of it is no page any more.
  const article = new Readability(document.cloneNode(true) as Document, { keepClasses: true }).parse();
  const text = article?.content ? toMarkdown(parse(article.content, url)) : '';
  const whole = text.length < SHORT ? wholePage(document) : '';
  const isArticle = whole.length <= text.length * 4;
  return {
    title: article?.title || title,
    text: isArticle ? text : whole,
    note: html.length > MAX_HTML ? 'only the first part of a very long page' : undefined,
  };
}

function parse(html: string, url: string): Document {
  const { document } = parseHTML(html);
  // The parser adds nothing that was left out, and takes the first element of a fragment for the whole document.
  const isPage = document.documentElement?.querySelector(':scope > body') ?? null;
  if (isPage !== null) return withWholeAddresses(document, url);
  const wrapped = parseHTML(`<!doctype html><html><head></head><body>${html}</body></html>`);
  return withWholeAddresses(wrapped.document, url);
}

/** Addresses that mean something away from the page. */
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
  // Pictures inside of the page are long rows of letters.
  service.addRule('inlinePicture', {
    filter: (node) => node.nodeName === 'IMG' && /^data:/i.test(node.getAttribute('src') ?? ''),
    replacement: () => '',
  });
  addTableRules(service);
  return service.turndown(document.body).trim();
}

const BLOCKS = 'table, p, div, ul, ol, pre, blockquote, h1, h2, h3, h4, h5, h6';

/** Tables of figures and words become tables. Those that hold the parts of a page in place stay what they are: blocks. */
export function addTableRules(service: TurndownService): void {
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

/** Rows with blocks in them cannot stand in one line. Each table is looked through once, however many cells ask. */
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
