/** Lone UTF-16 surrogates become U+FFFD: they have no UTF-8 form, and JSON made of them is refused. */
export function cleanSurrogates(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}
