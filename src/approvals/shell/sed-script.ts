/** The commands that a sed script runs, and the files that it writes and reads. */
export type SedScript = { scripts: string[]; written: string[]; read: string[] };

/** Parses a sed script. An unknown command is skipped as one letter. */
export function readSedScript(script: string): SedScript {
  const found: SedScript = { scripts: [], written: [], read: [] };
  let at = 0;
  while (at < script.length) {
    at = skipAddress(script, at);
    at = readOne(script, at, found);
  }
  return found;
}

/** Addresses are numbers, `$` and patterns, combined with commas, `!` and steps. */
function skipAddress(script: string, start: number): number {
  let at = start;
  while (at < script.length) {
    const letter = script[at] ?? '';
    if (letter === '/') at = endOfPart(script, at + 1, '/');
    else if (letter === '\\') at = endOfPart(script, at + 2, script[at + 1] ?? '/');
    else if (/[\s;{}\d$,~+!IM]/.test(letter)) at += 1;
    else break;
  }
  return at;
}

/** The offset after the next unescaped delimiter. */
function endOfPart(script: string, start: number, delimiter: string): number {
  for (let at = start; at < script.length; at += 1) {
    if (script[at] === '\\') at += 1;
    else if (script[at] === delimiter) return at + 1;
  }
  return script.length;
}

function readOne(script: string, at: number, found: SedScript): number {
  const letter = script[at] ?? '';
  if (letter === 's' || letter === 'y') return readSubstitution(script, at, found);
  if (!/[ewWaicrR#:btT]/.test(letter)) return at + 1;
  const line = restOfLine(script, at + 1);
  switch (letter) {
    case 'e':
      // Without an argument, `e` runs the input line itself.
      found.scripts.push(line.trim() === '' ? '$LINE' : line.trim());
      return at + 1 + line.length;
    case 'w':
    case 'W':
      found.written.push(line.trim());
      return at + 1 + line.length;
    case 'r':
    case 'R':
      found.read.push(line.trim());
      return at + 1 + line.length;
    case ':':
    case 'b':
    case 't':
    case 'T':
      return at + 1 + (line.split(/[;}]/, 1)[0]?.length ?? 0);
    default:
      // The other commands take text or a file name up to the end of the line.
      return at + 1 + line.length;
  }
}

function restOfLine(script: string, start: number): string {
  const end = script.indexOf('\n', start);
  return end < 0 ? script.slice(start) : script.slice(start, end);
}

/** `s/…/…/flags`: the flag `e` runs the result, and `w` writes it to a file. */
function readSubstitution(script: string, at: number, found: SedScript): number {
  const delimiter = script[at + 1] ?? '';
  const middle = endOfPart(script, at + 2, delimiter);
  const end = endOfPart(script, middle, delimiter);
  const flags = /^[gpimeIM\d]*/.exec(script.slice(end, end + 20))?.[0] ?? '';
  if (flags.includes('e') && script[at] === 's') found.scripts.push(script.slice(middle, end - 1));
  const file = /^w\s*(\S+)/.exec(restOfLine(script, end + flags.length))?.[1];
  if (file !== undefined) found.written.push(file);
  return end + flags.length + (file === undefined ? 0 : restOfLine(script, end + flags.length).length);
}
