/** The line to type into is there, empty, and nothing runs. */
export function isReady(screen: readonly string[]): boolean {
  return screen.findLast((line) => line !== '')?.trim() === '❯';
}
