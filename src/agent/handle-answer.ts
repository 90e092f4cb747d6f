/** What follows a model call. It is loaded while the model answers, so the first request does not wait for it. */
export { findProblem } from './find-problem.ts';
export { makeGraceCall } from './grace-call.ts';
export { handleText } from './handle-text.ts';
export { handleToolCalls } from './handle-tool-calls.ts';
export { recover } from './recoveries/index.ts';
