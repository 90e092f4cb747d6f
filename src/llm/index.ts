export { splitThinking } from './split-reasoning.ts';
export { chooseApiMode, mayBeOllama } from './api-mode.ts';
export { cacheTtlOf } from './cache-markers.ts';
export type { ListModelsOptions, ProbeResult } from './list-models.ts';
export {
  getText,
  isOllama,
  listModelEntries,
  listModels,
  probeEndpoint,
  probeOllamaWindow,
  requestText,
} from './on-demand.ts';
export { createModelClient } from './model-client.ts';
export type { WireFormat } from './wire-format.ts';
export type { ModelQuirks } from './model-quirks.ts';
export type { TextRequest } from './request-text.ts';
export { createHttpTransport } from './transport/http-transport.ts';
export type { HttpResponse, HttpTransport, NetworkVariables, TlsOptions } from './transport/http-types.ts';
