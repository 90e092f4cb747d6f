/** What a surface can show. One that is not here shows anything. */
const HINTS: Readonly<Record<string, string>> = {
  cli: 'Your answers are shown as plain text in a terminal: short paragraphs and simple lists, no tables or images, paths so that they can be copied.',
};

export function surfaceLayer(surface: string | undefined): string {
  return (surface !== undefined && HINTS[surface]) || '';
}
