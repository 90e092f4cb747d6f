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
