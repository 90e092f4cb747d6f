import { basename, extname } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { ToolFailure } from '../../tools/index.ts';

/** Parsing more than this would hold everything up for too long. */
const MAX_CHECKED = 2 * 1024 * 1024;
/** JSON by name, with comments by custom. */
const COMMENTED_JSON =
  /^(?:[tj]sconfig.*|\.?devcontainer|\.eslintrc|\.swcrc|\.babelrc|settings|launch|tasks|extensions)\.json$/;
/** A template becomes YAML or TOML only when it is filled in. */
const TEMPLATE = /\{\{|\{%|<%/;

type Parser = () => Promise<(text: string) => void>;

const PARSERS: Readonly<Record<string, Parser>> = {
  '.json': async () => (text) => void JSON.parse(text),
  '.ipynb': async () => (text) => void JSON.parse(text),
  '.yaml': loadYaml,
  '.yml': loadYaml,
  '.toml': async () => {
    const { parse } = await import('smol-toml');
    return (text) => void parse(text);
  },
};

/** Refuses a text that breaks the format its name promises, unless the file was broken before. */
export async function refuseBrokenSyntax(path: string, after: string, before: string | undefined): Promise<void> {
  const fault = await syntaxFault(path, after);
  if (fault === undefined || (before !== undefined && (await syntaxFault(path, before)) !== undefined)) return;
  const format = extname(path).slice(1).toUpperCase().replace('YML', 'YAML');
  throw new ToolFailure(
    `${path} would not be valid ${format}: ${fault}. Nothing was changed; correct it and try again.`,
  );
}

/** What is wrong and where; undefined where nothing is, or where nobody can tell. */
async function syntaxFault(path: string, text: string): Promise<string | undefined> {
  const load = COMMENTED_JSON.test(basename(path)) ? undefined : PARSERS[extname(path).toLowerCase()];
  if (!load || text.length > MAX_CHECKED || TEMPLATE.test(text)) return undefined;
  const parse = await load();
  try {
    parse(text.replace(/^\uFEFF/, ''));
    return undefined;
  } catch (thrown) {
    return describe(thrown);
  }
}

/** The parser's first words; the pictures some add of the place are left out. */
function describe(thrown: unknown): string {
  const { line, column } = thrown as { line?: number; column?: number };
  const [words = ''] = errorMessage(thrown).split('\n');
  const place = line === undefined || words.includes('line ') ? '' : ` (line ${line} column ${column})`;
  return words.replace(/[.:]$/, '') + place;
}

async function loadYaml() {
  const { parseAllDocuments } = await import('../../util/yaml.ts');
  return (text: string) => {
    const documents = parseAllDocuments(text, { logLevel: 'silent' });
    const fault = Array.isArray(documents) ? documents.flatMap(({ errors }) => errors)[0] : undefined;
    if (fault) throw fault;
  };
}
