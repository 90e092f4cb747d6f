export { splitThinking } from './answer-text.ts';
export { chooseApiMode, mayBeOllama } from './api-mode.ts';
export { cacheTtlOf } from './cache-marks.ts';
export {
  type EndpointAnswer,
  listModelEntries,
  listModels,
  type ListModelsOptions,
  probeEndpoint,
} from './list-models.ts';
export { createModelClient } from './model-client.ts';
export type { ModelQuirks } from './model-quirks.ts';
export { askOllamaWindow, isOllama } from './ollama-chat/ask-server.ts';
export { getText, requestText, type TextRequest } from './request-text.ts';
export { createHttpTransport } from './transport/http-transport.ts';
export type { HttpResponse, HttpTransport, NetworkVariables, TlsChoices } from './transport/http-types.ts';
