// The YAML parser. It is not exported by `index.ts`, so that it is loaded only if it is needed. The bundler gives a
// dynamically imported CommonJS package no named exports, so this module re-exports them.
export {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parse,
  parseAllDocuments,
  parseDocument,
  type ParseOptions,
  stringify,
  visit,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

/** Plain words for a syntax error, phrased to end a sentence. The parser's own messages use terms of the YAML grammar. */
export function explainYamlError({ code, message }: { code: string; message: string }): string {
  const said = message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? code;
  const bracket = /end with a (.)$/.exec(said)?.[1];
  if (bracket !== undefined)
    return `the closing ${bracket} is missing, or the lines inside the brackets are not indented`;
  if (/^Missing closing ["']/.test(said)) return 'the closing quote is missing';
  return EXPLANATIONS[code] ?? `${said.charAt(0).toLowerCase()}${said.slice(1)}`;
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  BAD_INDENT: 'the indentation does not match the lines above',
  BLOCK_AS_IMPLICIT_KEY: 'a value contains ": "; put the value in quotes',
  DUPLICATE_KEY: 'the key occurs more than once',
  MULTIPLE_DOCS: 'the file contains more than one document (---)',
  TAB_AS_INDENT: 'the line is indented with a tab; use spaces',
};
