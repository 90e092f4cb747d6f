// This file matches escape sequences.
/* oxlint-disable no-control-regex */
const FRAME = /\u001b\[\?2026h([\s\S]*?)\u001b\[\?2026l/g;
// A new line starts when the cursor moves to another line: by a line feed, or by a command that moves it up or down.
const LINE_CHANGE = /\r?\n|\u001b\[\d*[ABEF]|\u001b\[[\d;]*[Hfd]/;
// Commands that draw nothing: colours, modes, and movement within a line.
const NOTHING_DRAWN = /\u001b\[[?\d;]*[a-zA-Z]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\r/g;
const ERASE = /\u001b\[\d?[JK]/;

/** The frames in the output of a program: how many lines each of them drew or erased. */
export function linesPerFrame(bytes: string): number[] {
  return [...bytes.matchAll(FRAME)].map(([, frame = '']) => countDrawn(frame));
}

function countDrawn(frame: string): number {
  const lines = frame.split(LINE_CHANGE);
  return lines.filter((line) => ERASE.test(line) || line.replace(NOTHING_DRAWN, '') !== '').length;
}
