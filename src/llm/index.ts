export { chooseApiMode, mayBeOllama } from './api-mode.ts';
export { listModels } from './list-models.ts';
export { createModelClient } from './model-client.ts';
export { askOllamaWindow, isOllama } from './ollama-chat/ask-server.ts';
export type { ModelQuirks } from './model-quirks.ts';
