import { counted } from '../../text/counted.ts';
import type { BatchOptions } from '../batch-options.ts';
import type { PromptBook } from '../folder/prompt-book.ts';
import type { InputReport } from '../prompts/read-prompts.ts';
import type { ResultFiles } from '../results/result-files.ts';

type Noted = { input: InputReport; book: PromptBook; files: ResultFiles; resumed: boolean };

/** What a person should know of the input before it is worked on. */
export function noteInput(
  { input, book, files, resumed }: Noted,
  options: Pick<BatchOptions, 'input' | 'onNote'>,
): void {
  const { onNote } = options;
  const { unusable, faults, repeated } = input;
  if (unusable > 0) {
    onNote(`${counted(unusable, 'line')} of ${options.input} cannot be used and will stand in failed.jsonl:`);
    for (const { lineNumber, fault } of faults) onNote(`  line ${lineNumber}: ${fault}`);
    if (unusable > faults.length) onNote(`  and ${counted(unusable - faults.length, 'more', 'more')}`);
  }
  if (repeated > 0) onNote(`${counted(repeated, 'repeated prompt')}: each is run by itself.`);
  if (!resumed) return;
  onNote(`Done before and not run again: ${counted(files.done.size, 'prompt')}.`);
  if (book.added > 0 || book.gone > 0) {
    onNote(
      `The input has changed since: ${counted(book.added, 'prompt')} came, ${book.gone} went; what was done of those stays in the files.`,
    );
  }
}
