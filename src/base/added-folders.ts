const HEADING = 'Additional directories: ';

/** The line by which the model knows folders besides its working directory. */
export function describeFolders(folders: readonly string[]): string {
  return `${HEADING}${folders.join(', ')}`;
}

/** Whether a text names a folder in such a line. */
export function namesFolder(text: string, folder: string): boolean {
  const lines = text.split('\n').filter((line) => line.startsWith(HEADING));
  return lines.some((line) => line.slice(HEADING.length).split(', ').includes(folder));
}
