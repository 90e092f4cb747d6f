/** How far the lines of a child are moved to the right; never so far that nothing of them is left. */
export function indentOf(depth = 0, width: number): string {
  return '  '.repeat(Math.min(depth, Math.floor(width / 8)));
}
