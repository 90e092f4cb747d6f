import { stripAnsi } from '../../../util/index.ts';

// oxlint-disable-next-line no-control-regex
const EARLY_CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
const LATE_CONTROLS = /[\u0080-\u009f]/g;

/**
 * Removes everything that cannot be typed from text of a file or a session, because editors draw their content
 * unescaped.
 */
export function typable(text: string): string {
  return withoutLateControls(stripAnsi(text).replace(/\r\n?/g, '\n').replace(EARLY_CONTROLS, ''));
}

/** Removes C1 control characters, which start escape sequences in some terminals. They can only come from a paste. */
export function withoutLateControls(text: string): string {
  return text.replace(LATE_CONTROLS, '');
}
