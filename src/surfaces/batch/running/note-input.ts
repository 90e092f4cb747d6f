import { counted } from '../../text/counted.ts';
import type { BatchOptions } from '../batch-options.ts';
import type { PromptBook } from '../folder/prompt-book.ts';
import type { InputReport } from '../prompts/read-prompts.ts';
import type { ResultFiles } from '../results/result-files.ts';
import { OWN_METADATA } from '../results/result-line.ts';

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
  noteReplaced(input, options);
  if (!resumed) return;
  onNote(`Done before and not run again: ${counted(files.done.size, 'prompt')}.`);
  if (book.added > 0 || book.gone > 0) {
    onNote(
      `The input has changed since: ${counted(book.added, 'prompt')} came, ${book.gone} went; what was done of those stays in the files.`,
    );
  }
}

/** Every line says which model made it, and when: what the input has under such a name has no place left. */
export function noteReplaced(
  { metadataKeys }: Pick<InputReport, 'metadataKeys'>,
  { input, onNote }: Pick<BatchOptions, 'input' | 'onNote'>,
): void {
  const replaced = metadataKeys.filter((name) => OWN_METADATA.includes(name));
  if (replaced.length === 0) return;
  const names = replaced.map((name) => `"${name}"`).join(', ');
  onNote(`${input} has metadata named ${names}: lines have what the run itself says there. Rename it to keep it.`);
}
