// The start of a status line while something is running.
const SPINNER = /^[⠀-⣿] /u;

/** Whether something is running, according to the screen. */
export function isBusy(screen: readonly string[]): boolean {
  return screen.some((line) => SPINNER.test(line));
}

/** An empty input line at the bottom, and nothing is running. */
export function isReady(screen: readonly string[]): boolean {
  return screen.findLast((line) => line !== '') === '❯' && !isBusy(screen);
}
