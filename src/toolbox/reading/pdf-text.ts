import type { Environment } from '../../contracts/index.ts';
import { ToolFailure, ToolInterrupted } from '../../tools/index.ts';
import { quoteShellWord } from '../../util/index.ts';
import type { DocumentText } from './document.ts';

const TIME_LIMIT_MS = 60_000;
const MAX_TEXT = 8_000_000;
/** The exit code of a shell if the program does not exist. */
const NOT_FOUND = 127;

/**
 * Extracts the text of a PDF with `pdftotext` in the environment; undefined if it is not installed. JavaScript
 * libraries are far larger and give worse results.
 */
export async function readPdf(
  path: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<DocumentText | undefined> {
  const absolute = await environment.resolvePath(path);
  // -q, because warnings would end up in the text.
  const command = `command pdftotext -q -layout -enc UTF-8 ${quoteShellWord(absolute)} -`;
  const options = { timeoutMs: TIME_LIMIT_MS, signal, maxOutput: MAX_TEXT };
  const { ended, exitCode, output } = await environment.run(command, options);
  if (signal.aborted) throw new ToolInterrupted('The read was interrupted.');
  if (exitCode === NOT_FOUND) return undefined;
  if (ended !== 'exit' || exitCode !== 0) {
    throw new ToolFailure(`pdftotext could not read the PDF ${path}; it may be damaged or encrypted.`);
  }
  // Each page ends with a form feed.
  const pages = output.split('\f').slice(0, -1);
  if (pages.every((page) => page.trim() === '')) {
    throw new ToolFailure(
      `${path} is a PDF of ${pages.length} pages without text; the pages are images, possibly scans.`,
    );
  }
  const text = pages.map((page, index) => `--- page ${index + 1} ---\n${page.trimEnd()}`).join('\n');
  return {
    text: `${text}\n`,
    note: `text of a PDF of ${pages.length} pages; line numbers refer to this text, not to the file`,
  };
}
