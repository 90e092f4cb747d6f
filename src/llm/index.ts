export { splitThinking } from './split-reasoning.ts';
export { chooseApiMode, mayBeOllama } from './api-mode.ts';
export { cacheTtlOf } from './cache-markers.ts';
export {
  type ProbeResult,
  listModelEntries,
  listModels,
  type ListModelsOptions,
  probeEndpoint,
} from './list-models.ts';
export { createModelClient } from './model-client.ts';
export type { WireFormat } from './wire-format.ts';
export type { ModelQuirks } from './model-quirks.ts';
export { probeOllamaWindow, isOllama } from './ollama-chat/probe-server.ts';
export { getText, requestText, type TextRequest } from './request-text.ts';
export { createHttpTransport } from './transport/http-transport.ts';
export type { HttpResponse, HttpTransport, NetworkVariables, TlsOptions } from './transport/http-types.ts';
