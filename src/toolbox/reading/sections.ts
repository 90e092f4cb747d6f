/** The line above the text of a file in a result that shows several. Lines of files begin with a number instead. */
export function sectionHeading(path: string): string {
  return `==> ${path.replaceAll('\n', ' ')} <==`;
}

/** The text of one file in a result that shows several. Other text may follow that of the last file. */
export function sectionOf(result: string, path: string): string | undefined {
  const heading = `${sectionHeading(path)}\n`;
  const at = result.startsWith(heading) ? 0 : result.indexOf(`\n${heading}`) + 1;
  return at === 0 && !result.startsWith(heading) ? undefined : result.slice(at + heading.length);
}

/** The results of several files as one text. */
export function joinSections(sections: readonly { path: string; text: string }[]): string {
  return sections.map(({ path, text }) => `${sectionHeading(path)}\n${text}`).join('\n\n');
}
