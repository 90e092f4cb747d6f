/** A document as text; its lines are not those of the file, which the note says. */
export type DocumentText = { text: string; note: string };

/** The document is not what its name says, or is broken. */
export class UnreadableDocument extends Error {
  /** It can still be read as the text it is. */
  readonly looksLikeText: boolean;

  constructor(message: string, looksLikeText = false) {
    super(message);
    this.looksLikeText = looksLikeText;
  }
}
