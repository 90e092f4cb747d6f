export { supportsHyperlinks } from './hyperlink.ts';
export {
  type EndedCall,
  goalOf,
  renderSubagent,
  renderSubagentEnd,
  renderToolEnd,
  renderToolStart,
} from './tool-calls.ts';
export { isOpen, parseTodos, renderTodos, renderTodoSummary, type TodoLine } from './todo-list.ts';
export { renderDiff } from './render-diff.ts';
export { type AnswerStream, createAnswerStream } from './markdown/answer-stream.ts';
export { renderReasoning } from './reasoning.ts';
export { duration, renderStatusLine, type StatusView } from './status-line.ts';
export { type Colours, createTheme, type Theme } from './theme.ts';
