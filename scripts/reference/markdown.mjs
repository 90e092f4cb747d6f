/** The first lines of a page that is not written by hand. */
export function page(title, ...parts) {
  const note = '<!-- Made by `npm run reference`; changes belong into the sources. -->';
  return `${[note, `# ${title}`, ...parts.filter((part) => part !== '')].join('\n\n')}\n`;
}

export function table(headings, rows) {
  if (rows.length === 0) return '';
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(headings), `|${headings.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export function fenced(text, language = '') {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

export function code(text) {
  return text === '' || text === undefined ? '' : `\`${text}\``;
}

/** A sentence of its own. */
export function sentence(text) {
  const whole = text.trim();
  return `${whole.charAt(0).toUpperCase()}${whole.slice(1)}${/[.!?:]$/.test(whole) ? '' : '.'}`;
}

/** A bar or a line break would end the cell. */
function cell(text) {
  return String(text ?? '')
    .replaceAll('***', '\\*\\*\\*')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ');
}
