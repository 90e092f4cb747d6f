import { expect, it } from 'vitest';
import { noteReplaced } from './begin-run.ts';

const notesOn = (...metadataKeys: string[]) => {
  const notes: string[] = [];
  noteReplaced({ metadataKeys }, { input: 'prompts.jsonl', onNote: (text) => notes.push(text) });
  return notes;
};

it('metadata under a name that the run uses itself is named once, before it is replaced', () => {
  expect(notesOn('source', 'model', 'timestamp')).toEqual([
    'prompts.jsonl has metadata named "model", "timestamp": lines have what the run itself says there. Rename it to keep it.',
  ]);
  expect(notesOn('source', 'models')).toEqual([]);
});
