// ECMA-48: control sequences (ESC [ … final), string sequences (OSC, DCS, SOS, PM, APC up to BEL or ST), and the
// remaining two- or three-character escapes. The 8-bit forms are left alone: in UTF-8 text they are ordinary letters.
const ESCAPE =
  // oxlint-disable-next-line no-control-regex
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]+[0-~]|[0-Z\\^-~])/g;

/** An incomplete sequence at the end of the text. */
const UNFINISHED =
  // oxlint-disable-next-line no-control-regex
  /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*)$/;

/** An incomplete sequence longer than this is treated as text. */
const MAX_PENDING_LENGTH = 1024;

/** Removes terminal escape sequences. */
export function stripAnsi(text: string): string {
  return text.includes('\u001b') ? text.replace(ESCAPE, '') : text;
}

/** Removes escape sequences from streamed text, in which a sequence may be split between two chunks. */
export function createAnsiStripper(): { push(text: string): string; end(): string } {
  let pending = '';
  return {
    push(text) {
      if (pending === '' && !text.includes('\u001b')) return text;
      const stripped = (pending + text).replace(ESCAPE, '');
      const open = stripped.search(UNFINISHED);
      const hold = open >= 0 && stripped.length - open <= MAX_PENDING_LENGTH;
      pending = hold ? stripped.slice(open) : '';
      return hold ? stripped.slice(0, open) : stripped;
    },
    end() {
      const rest = pending;
      pending = '';
      return rest;
    },
  };
}
