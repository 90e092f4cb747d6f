export { type EndedCall, renderToolEnd, renderToolStart, type RunningCall } from './tool-lines.ts';
