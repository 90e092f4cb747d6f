import { type Document, LineCounter, parseDocument, type YAMLError } from 'yaml';
import { ConfigurationError, errorMessage, isJsonObject } from '../base/index.ts';
import { type ConfigFile, configFileSchema } from './schema.ts';

/** A parsed file that still knows where each key stands, for messages and for write-back. */
export type ParsedConfig = {
  document: Document;
  values: ConfigFile;
  /** `config.yaml, line 7` for a key, or for the nearest thing above it that exists. */
  place(path: readonly PropertyKey[]): string;
};

const HINT = 'Correct that line; nothing was changed. `hermes config path` shows where the file is.';

/** Reads the text of a config file; whatever is wrong with it is one error that names file, line and key. */
export function parseConfig(file: string, content: string): ParsedConfig {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: true });
  const broken = document.errors[0];
  if (broken) throw new ConfigurationError(describeSyntaxError(file, content, broken), { hint: HINT });

  const place = (path: readonly PropertyKey[]) => `${file}, line ${lineOf(document, lines, path)}`;
  const checked = configFileSchema.safeParse(withoutUnset(toPlainValues(file, document)));
  if (checked.success) return { document, values: checked.data, place };

  const issue = checked.error.issues[0];
  const path = issue?.path ?? [];
  const key = path.length === 0 ? 'the file' : formatPath(path);
  throw new ConfigurationError(`${place(path)}: ${key} must be ${issue?.message ?? 'different'}.`, { hint: HINT });
}

function toPlainValues(file: string, document: Document): unknown {
  try {
    const values: unknown = document.toJS();
    // `model: name` is short for a mapping with nothing else in it.
    if (isJsonObject(values) && typeof values['model'] === 'string') {
      return { ...values, model: { default: values['model'] } };
    }
    return values ?? {};
  } catch (thrown) {
    // Aliases that point nowhere, or that would unfold into something enormous.
    throw new ConfigurationError(`${file} cannot be read: ${errorMessage(thrown)}.`, { hint: HINT, cause: thrown });
  }
}

/** Existing files write "not set" as nothing, as null or as empty text; all three mean that the key is absent. */
function withoutUnset(value: unknown): unknown {
  if (!isJsonObject(value)) return Array.isArray(value) ? value.map(withoutUnset) : value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== '');
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutUnset(inner)]));
}

function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    const range = (node as { range?: readonly number[] | null } | undefined)?.range;
    if (range?.[0] !== undefined) return lines.linePos(range[0]).line;
  }
  return 1;
}

function describeSyntaxError(file: string, content: string, error: YAMLError): string {
  const line = error.linePos?.[0].line ?? 1;
  const what = error.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? error.code;
  const key = nearestKey(content, line);
  return `${file}, line ${line}${key ? `, near the key "${key}"` : ''}: this is not valid YAML: ${what}.`;
}

/** A syntax error has no path, but the reader still looks for a key. */
function nearestKey(content: string, line: number): string | undefined {
  const above = content.split('\n').slice(0, line).reverse();
  for (const text of above) {
    const match = /^[\s-]*([\w.-]+)\s*:/.exec(text);
    if (match) return match[1];
  }
  return undefined;
}

function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}
