export { goalOf, renderSubagent, renderSubagentEnd } from './subagent-lines.ts';
export { type EndedCall, renderToolEnd, renderToolStart } from './tool-lines.ts';
