// What a status line begins with while something runs.
const SPINNER = /^[⠀-⣿] /u;

/** Whether something runs, by what the screen shows. */
export function isBusy(screen: readonly string[]): boolean {
  return screen.some((line) => SPINNER.test(line));
}

/** A line to type into at the bottom, with nothing in it, and nothing that runs. */
export function isReady(screen: readonly string[]): boolean {
  return screen.findLast((line) => line !== '') === '❯' && !isBusy(screen);
}
