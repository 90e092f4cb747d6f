export { type ApiModeChoice, chooseApiMode } from './api-mode.ts';
export { createModelClient, type ModelClientOptions } from './model-client.ts';
export type { ModelQuirks } from './model-quirks.ts';
export { createHttpTransport } from './transport/http-transport.ts';
export type { HttpRequest, HttpResponse, HttpTransport } from './transport/http-types.ts';
