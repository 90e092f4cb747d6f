/** What a surface can show. One that is not here shows anything. */
const HINTS: Readonly<Record<string, string>> = {
  cli: 'Your answers are shown in a terminal that draws Markdown: short paragraphs, lists, code in fences with its language, small tables; no images or HTML; paths so that they can be copied.',
};

export function surfaceLayer(surface: string | undefined): string {
  return (surface !== undefined && HINTS[surface]) || '';
}
