import type TurndownService from 'turndown';

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
