// The YAML parser. It is not part of `index.ts`, so that a start which needs no YAML does not load it. The bundler gives a
// CommonJS package that is imported on demand no named exports; this module passes them on.
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
