/** A statement of fish: up to a semicolon or a line break outside quotes. */
const STATEMENT = /(?:[^;\n'"\\]|\\.|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")+/gs;
const SETS = /^(?:-\w+\s+|--\w+\s+)*(\w+)\s+(\S.*)$/s;
/** A universal variable is saved in a file that every later shell reads. */
const UNIVERSAL = /^(?:--?\w+\s+)*(?:-\w*U\w*|--universal)\s/;
/** `*.ts(.om[1,5])`: qualifiers of a zsh glob. */
const QUALIFIERS = /(?<=[*?\w\]/])\([^()\s'"]+\)(?=[\s;|&)"]|$)/g;
/** `*(e:'CODE':)`, `*(+FUNCTION)`: qualifiers that run code for each file. */
const CODE_QUALIFIER = /(?<=[*?\w\]/])\([^()\s'"]*?(?:e([:'"|/{[])|\+)([^()]+?)(?:\1[^()]*)?\)/g;
/** `for f (*.ts) wc -l $f`: the short form of a zsh loop. */
const SHORT_LOOP = /\bfor (\w+) \(([^()]*)\)\s*(?!\s*(?:do|\{))([^;\n]+)/g;

/** A script for the given shell in the syntax that the parser reads. Other shells are close enough to it. */
export function toPosix(shell: string, script: string): string {
  if (shell === 'zsh') {
    const run = [...script.matchAll(CODE_QUALIFIER)].map((found) => (found[2] ?? '').replace(/^(["'])(.*)\1$/s, '$2'));
    const plain = script
      .replace(CODE_QUALIFIER, '')
      .replace(QUALIFIERS, '')
      .replace(SHORT_LOOP, 'for $1 in $2; do $3; done');
    return [plain, ...run].join('\n');
  }
  return shell === 'fish' ? fromFish(script) : script;
}

/** Fish ends every block with `end`, and substitutes with plain parentheses. */
function fromFish(script: string): string {
  const open: string[] = [];
  const block = (begin: string, end: string) => {
    open.push(end);
    return begin;
  };
  const statements = script.match(STATEMENT) ?? [];
  return statements
    .map((statement) => {
      const text = statement
        .trim()
        .replace(/(?<=\s)\((?!\()/g, '$(')
        .replace(/^(?:(?:and|or)\s+)+/, '');
      const [, word = '', rest = ''] = /^(\w*)\s*(.*)$/s.exec(text) ?? [];
      switch (word) {
        case 'for':
        case 'while':
          return block(`${text}; do`, 'done');
        case 'if':
          return block(`${text}; then`, 'fi');
        case 'else':
          return rest === '' ? 'else' : `elif ${rest.slice(2)}; then`;
        case 'function':
          return block(`${rest.split(/\s/)[0] ?? ''}() {`, '}');
        case 'begin':
          return block(`{ ${rest}`, '}');
        case 'switch':
          return block('{', '}');
        case 'case':
          return ':';
        case 'end':
          return `${open.pop() ?? ''} ${rest}`;
        case 'not':
          return rest;
        case 'set':
          if (UNIVERSAL.test(rest)) return `: >> ~/.config/fish/fish_variables`;
          return SETS.test(rest) ? rest.replace(SETS, (_, name: string, value: string) => `${name}=${value}`) : text;
        default:
          return text;
      }
    })
    .join('\n');
}
