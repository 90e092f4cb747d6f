export { chooseApiMode } from './api-mode.ts';
export { getText } from './get-text.ts';
export { listModelEntries, listModels } from './list-models.ts';
export { createModelClient } from './model-client.ts';
export type { ModelQuirks } from './model-quirks.ts';
export { requestText, type TextRequest } from './request-text.ts';
