import { expect, it } from 'vitest';
import { warnOverwrittenMetadata } from './begin-run.ts';

const notesOn = (...metadataKeys: string[]) => {
  const notes: string[] = [];
  warnOverwrittenMetadata({ metadataKeys }, { input: 'prompts.jsonl', onNote: (text) => notes.push(text) });
  return notes;
};

it('warns once about metadata keys that the run overwrites', () => {
  expect(notesOn('source', 'model', 'timestamp')).toEqual([
    'The metadata keys "model", "timestamp" of prompts.jsonl are overwritten by the run. Rename them to keep their values.',
  ]);
  expect(notesOn('source', 'models')).toEqual([]);
});
