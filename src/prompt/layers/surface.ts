/** What a surface can show. One that is not here shows anything. */
const HINTS: Readonly<Record<string, string>> = {
  cli: 'Answers are drawn as Markdown in a terminal: short paragraphs, lists, fenced code with its language, small tables; no images or HTML.',
};

export function surfaceLayer(surface: string | undefined): string {
  return (surface !== undefined && HINTS[surface]) || '';
}
