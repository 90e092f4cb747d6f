/** Tag characters are copies of ASCII that nobody sees and many models read. */
export const TAG_CHARACTERS = /[\u{E0000}-\u{E007F}]/u;
