export { type EndedCall, renderToolEnd, renderToolStart } from './tool-lines.ts';
