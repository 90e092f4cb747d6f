// The YAML parser. It is not exported by `index.ts`, so that starts without YAML do not load it. The bundler gives a
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
