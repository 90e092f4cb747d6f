/** Whether a version comes after another; what stands behind a hyphen makes it an earlier one. */
export function isNewer(candidate: string, current: string): boolean {
  const [a, b] = [read(candidate), read(current)];
  const at = [0, 1, 2].find((index) => a.numbers[index] !== b.numbers[index]);
  if (at !== undefined) return (a.numbers[at] ?? 0) > (b.numbers[at] ?? 0);
  return b.isEarly && !a.isEarly;
}

function read(version: string): { numbers: number[]; isEarly: boolean } {
  const [plain = '', early] = version.replace(/^v|\+.*$/g, '').split('-', 2);
  return { numbers: plain.split('.').map((part) => Number.parseInt(part, 10) || 0), isEarly: early !== undefined };
}
