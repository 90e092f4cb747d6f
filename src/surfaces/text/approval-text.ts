import { printableWhole } from './style.ts';

/** Invisible characters, those that change the direction of text, and line separators other than a line feed. */
const INVISIBLE = /\p{Cf}|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp}|\u2800/gu;

/**
 * A command or a path for an approval: every character is visible, only line feeds break lines, and tabs have a fixed
 * width, because a row that a terminal shows wider than expected would continue without a mark.
 */
export function approvalText(text: string): string {
  return printableWhole(text.replaceAll('\r', '␍').replaceAll('\t', '    ').replace(INVISIBLE, showCode));
}

/** The same on one line. */
export function approvalLine(text: string): string {
  return approvalText(text).replaceAll('\n', '⏎');
}

function showCode(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}
