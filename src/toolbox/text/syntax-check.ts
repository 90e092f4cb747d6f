import { basename, extname } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { ToolFailure } from '../../tools/index.ts';

/** Larger files are not parsed, because parsing blocks the event loop. */
const MAX_CHECKED = 2 * 1024 * 1024;
/** JSON files that usually contain comments. */
const COMMENTED_JSON =
  /^(?:[tj]sconfig.*|\.?devcontainer|\.eslintrc|\.swcrc|\.babelrc|settings|launch|tasks|extensions)\.json$/;
/** Template syntax. A file that contains it need not be valid before the template is filled in. */
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

/** Rejects text with syntax errors for its file extension, unless the file was broken before. */
export async function rejectSyntaxErrors(path: string, after: string, before: string | undefined): Promise<void> {
  const fault = await syntaxError(path, after);
  if (fault === undefined || (before !== undefined && (await syntaxError(path, before)) !== undefined)) return;
  const format = extname(path).slice(1).toUpperCase().replace('YML', 'YAML');
  throw new ToolFailure(
    `${path} would not be valid ${format}: ${fault}. Nothing was changed. Fix the syntax error and try again.`,
  );
}

/** The syntax error with its position; undefined if the text is valid or cannot be checked. */
async function syntaxError(path: string, text: string): Promise<string | undefined> {
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

/** The first line of the parser's message, without code frames. */
function describe(thrown: unknown): string {
  const { line, column } = thrown as { line?: number; column?: number };
  const [words = ''] = errorMessage(thrown).split('\n');
  const location = line === undefined || words.includes('line ') ? '' : ` (line ${line} column ${column})`;
  return words.replace(/[.:]$/, '') + location;
}

async function loadYaml() {
  const { parseAllDocuments } = await import('../../util/yaml.ts');
  return (text: string) => {
    const documents = parseAllDocuments(text, { logLevel: 'silent' });
    const fault = Array.isArray(documents) ? documents.flatMap(({ errors }) => errors)[0] : undefined;
    if (fault) throw fault;
  };
}
