import { isJsonObject, parseJson } from '../../base/index.ts';

/** What the runner says at the end, behind its mark. */
export type ScriptReport = { code: number | undefined; signal: string | undefined; problem?: string; errors: string };

/** What a script printed, and how it ended; no report where the runner could not give one. */
export function readOutput(output: string, mark: string): { printed: string; report: ScriptReport | undefined } {
  const at = output.lastIndexOf(mark);
  if (at < 0) return { printed: output, report: undefined };
  // The runner begins a line of its own, which is no part of what was printed.
  const printed = output.slice(0, at).replace(/\n$/, '');
  const parsed = parseJson(output.slice(at + mark.length).trim());
  if (!isJsonObject(parsed)) return { printed, report: undefined };
  const { code, signal, problem, errors } = parsed;
  return {
    printed,
    report: {
      code: typeof code === 'number' ? code : undefined,
      signal: typeof signal === 'string' ? signal : undefined,
      ...(typeof problem === 'string' && { problem }),
      errors: typeof errors === 'string' ? Buffer.from(errors, 'base64').toString() : '',
    },
  };
}

/** Hands on what a script prints as it comes, without what the runner says at the end. */
export function createOutputWatch(mark: string, show: (text: string) => void): (text: string) => void {
  let held = '';
  let over = false;
  return (text) => {
    if (over) return;
    held += text;
    const at = held.indexOf(`\n${mark}`);
    over = at >= 0;
    // The beginning of the mark may be the end of this piece.
    const sure = over ? at : Math.max(0, held.length - mark.length - 1);
    if (sure > 0) show(held.slice(0, sure));
    held = held.slice(sure);
  };
}
