export type { ReplyContent, ReplyFinishReason, ReplyToolCall } from '../reply/index.ts';
export * from './scripted-model.ts';
