export { type EndedCall, renderToolEnd, renderToolStart, type RunningCall } from './calls/index.ts';
export { type AnswerStream, createAnswerStream, renderMarkdown } from './markdown/answer-stream.ts';
export { createTheme, type Theme } from './theme.ts';
