/** Between two columns. */
const GAP = 3;
/** A column that has less is no column to read. */
const NARROWEST = 5;

/**
 * How wide the columns of a table are. What fits is left as it is; otherwise the widest give way, all to the same width,
 * and narrow ones keep what they need. Undefined where no readable table comes of it.
 */
export function shareColumns(natural: readonly number[], width: number): number[] | undefined {
  const room = width - GAP * (natural.length - 1);
  const total = natural.reduce((sum, each) => sum + each, 0);
  if (total <= room) return [...natural];
  let [left, open] = [room, natural.length];
  let most = 0;
  for (const each of [...natural].sort((a, b) => a - b)) {
    most = Math.floor(left / open);
    if (each > most) break;
    left -= each;
    open -= 1;
  }
  return most < NARROWEST ? undefined : natural.map((each) => Math.min(each, most));
}
