import { stripAnsi } from '../../../util/index.ts';

// oxlint-disable-next-line no-control-regex
const C0_CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
const C1_CONTROLS = /[\u0080-\u009f]/g;

/**
 * Removes everything that cannot be typed from text of a file or a session, because editors draw their content
 * unescaped.
 */
export function sanitizeInput(text: string): string {
  return stripC1Controls(stripAnsi(text).replace(/\r\n?/g, '\n').replace(C0_CONTROLS, ''));
}

/** Removes C1 control characters, which start escape sequences in some terminals. They can only come from a paste. */
export function stripC1Controls(text: string): string {
  return text.replace(C1_CONTROLS, '');
}
