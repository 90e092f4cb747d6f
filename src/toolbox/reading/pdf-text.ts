import type { Environment } from '../../contracts/index.ts';
import { ToolFailure, ToolInterrupted } from '../../tools/index.ts';
import { quoteWord } from '../../util/index.ts';
import type { DocumentText } from './document.ts';

const TIME_LIMIT_MS = 60_000;
const MAX_TEXT = 8_000_000;
/** What a shell answers where it has no such program. */
const NOT_FOUND = 127;

/**
 * The text of a PDF file, taken out by `pdftotext` where the file lies; undefined where that is not installed. What reads
 * PDF in JavaScript is many times the size of this program, and worse at it.
 */
export async function readPdf(
  path: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<DocumentText | undefined> {
  const absolute = await environment.resolvePath(path);
  // Complaints would stand in the middle of the text.
  const command = `command pdftotext -q -layout -enc UTF-8 ${quoteWord(absolute)} -`;
  const options = { timeoutMs: TIME_LIMIT_MS, signal, maxOutput: MAX_TEXT };
  const { ended, exitCode, output } = await environment.run(command, options);
  if (signal.aborted) throw new ToolInterrupted('Interrupted while reading.');
  if (exitCode === NOT_FOUND) return undefined;
  if (ended !== 'exit' || exitCode !== 0) {
    throw new ToolFailure(`${path} is a PDF that pdftotext cannot read; it may be damaged or locked.`);
  }
  // Each page ends with a form feed.
  const pages = output.split('\f').slice(0, -1);
  if (pages.every((page) => page.trim() === '')) {
    throw new ToolFailure(`${path} is a PDF of ${pages.length} pages without text; they are pictures, perhaps scans.`);
  }
  const text = pages.map((page, index) => `--- page ${index + 1} ---\n${page.trimEnd()}`).join('\n');
  return {
    text: `${text}\n`,
    note: `the text of a PDF of ${pages.length} pages; these lines are not those of the file`,
  };
}
