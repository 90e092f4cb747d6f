/** A name taken apart: `anthropic/claude-opus-4.8-20260101:free`. */
type NameParts = {
  /** What remains without date, variant and the like; the same for every way to write a version. */
  base: string;
  /** `base` without who made it. */
  bare: string;
  /** What follows a colon: another service around the same model, and often another price. */
  variant: string;
};

const DATE = /-(?:20\d{2}-?\d{2}-?\d{2}|latest)$/;

export function takeApart(name: string): NameParts {
  const [plain = '', variant = ''] = name.toLowerCase().replace(/^~/, '').split(':', 2);
  const base = plain.replace(DATE, '').replaceAll('.', '-');
  return { base, bare: base.slice(base.lastIndexOf('/') + 1), variant };
}
