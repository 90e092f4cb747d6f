export { chooseApiMode, mayBeOllama } from './api-mode.ts';
export { listModelEntries, listModels, type ListModelsOptions } from './list-models.ts';
export { type EndpointAnswer, probeEndpoint } from './probe-endpoint.ts';
export { cacheTtlOf } from './cache-marks.ts';
export { createModelClient } from './model-client.ts';
export { askOllamaWindow, isOllama } from './ollama-chat/ask-server.ts';
export type { ModelQuirks } from './model-quirks.ts';
export { getText, requestText, type TextRequest } from './request-text.ts';
export type { NetworkVariables } from './transport/http-types.ts';
