import { stripAnsi } from '../../../util/index.ts';

// oxlint-disable-next-line no-control-regex
const EARLY_CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
const LATE_CONTROLS = /[\u0080-\u009f]/g;

/** Text of a file or a session as it could have been typed: what edits a line draws what it holds as it is. */
export function typable(text: string): string {
  return withoutLateControls(stripAnsi(text).replace(/\r\n?/g, '\n').replace(EARLY_CONTROLS, ''));
}

/** Without eight-bit controls, with which some terminals let sequences begin. No key sends them; a paste may have them. */
export function withoutLateControls(text: string): string {
  return text.replace(LATE_CONTROLS, '');
}
