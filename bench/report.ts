/** One row of the table; `bare` is missing if it does not apply to the bare agent. */
export type Row = { label: string; unit: string; digits: number; hermes: number[]; bare?: number[]; aim?: string };

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The table in Markdown: medians with their range, and the ratio to the bare agent. */
export function formatTable(rows: readonly Row[]): string {
  const lines = rows.map(({ label, unit, digits, hermes, bare, aim }) => {
    const show = (values: readonly number[] | undefined) => (values ? `${summarise(values, digits)} ${unit}` : '–');
    const ratio = bare ? `${(median(hermes) / median(bare)).toFixed(2)}×` : '–';
    return `| ${label} | ${show(hermes)} | ${show(bare)} | ${ratio} | ${aim ?? '–'} |`;
  });
  return ['| metric | hermes | bare agent | ratio | target |', '|---|---:|---:|---:|---|', ...lines].join('\n');
}

function summarise(values: readonly number[], digits: number): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const figure = median(values).toFixed(digits);
  return least === most ? figure : `${figure} (${least.toFixed(digits)}–${most.toFixed(digits)})`;
}
