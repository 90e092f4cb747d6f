import type { MemoryOperation, MemoryRefusal } from '../contracts/index.ts';
import { cleanSurrogates, hasSecretMarker, redactForModel, shorten } from '../util/index.ts';
import {
  addEntry,
  cleanEntry,
  entriesOf,
  type Entry,
  hasSeparator,
  type MemoryText,
  removeEntry,
  replaceEntry,
} from './memory-text.ts';

export type Refused = { refused: MemoryRefusal; reason: string };
export type Changed = { text: MemoryText } | Refused;

/** Conflict markers of an unfinished merge. */
const CONFLICT_MARK = /^(?:<{7}|>{7})(?: |$)/m;
const PREVIEW_CHARACTERS = 80;
const MAX_PREVIEWS = 10;

/** Applies the operations one after the other. If one is refused, none takes effect. */
export function changeMemory(text: MemoryText, operations: readonly MemoryOperation[]): Changed {
  let current = text;
  for (const operation of operations) {
    const changed = changeOnce(current, operation);
    if ('refused' in changed) return changed;
    current = changed.text;
  }
  return { text: current };
}

function changeOnce(text: MemoryText, operation: MemoryOperation): Changed {
  if (operation.action === 'add') return add(text, cleanEntry(cleanSurrogates(operation.content)));
  const found = findEntry(entriesOf(text), cleanEntry(operation.oldText));
  if ('refused' in found) return found;
  if (operation.action === 'remove') return { text: removeEntry(text, found.piece) };
  return replace(text, found, cleanEntry(cleanSurrogates(operation.content)));
}

function add(text: MemoryText, content: string): Changed {
  const fault = findEntryProblem(content);
  if (fault !== undefined) return fault;
  return containsEntry(text, content) ? { text } : { text: addEntry(text, content) };
}

function replace(text: MemoryText, { piece, text: before }: Entry, content: string): Changed {
  if (before === content) return { text };
  const fault = findEntryProblem(content);
  if (fault !== undefined) return fault;
  // Avoid a duplicate if the new text already exists as an entry.
  return { text: containsEntry(text, content) ? removeEntry(text, piece) : replaceEntry(text, piece, content) };
}

function containsEntry(text: MemoryText, content: string): boolean {
  return entriesOf(text).some((entry) => entry.text === content);
}

/** Finds the entry that equals the text, or else the only one that contains it. */
function findEntry(entries: readonly Entry[], part: string): Entry | Refused {
  if (part === '') return { refused: 'empty', reason: 'old_text is empty. Pass a unique part of the entry.' };
  const matches = entries.filter(({ text }) => text.includes(part));
  const first = matches.find(({ text }) => text === part) ?? matches[0];
  if (first === undefined) {
    return { refused: 'no_match', reason: `No entry contains "${preview(part)}". ${describeEntries(entries)}` };
  }
  const others = new Set(matches.map(({ text }) => text));
  if (first.text === part || others.size === 1) return first;
  const shown = [...others].slice(0, MAX_PREVIEWS).map((text) => `"${preview(text)}"`);
  const reason = `${others.size} entries contain "${preview(part)}". Pass a longer part of the entry. The matching entries begin: ${shown.join('; ')}.`;
  return { refused: 'several_matches', reason };
}

function describeEntries(entries: readonly Entry[]): string {
  if (entries.length === 0) return 'The target has no entries.';
  const shown = entries.slice(0, MAX_PREVIEWS).map(({ text }) => `"${preview(text)}"`);
  const more = entries.length > shown.length ? `; and ${entries.length - shown.length} more` : '';
  return `The entries begin: ${shown.join('; ')}${more}.`;
}

/** Why a text cannot be an entry. The injection scan happens elsewhere. */
function findEntryProblem(content: string): Refused | undefined {
  if (content === '') return { refused: 'empty', reason: 'content is empty. Pass the text of the entry.' };
  if (hasSeparator(content)) {
    return {
      refused: 'unsafe',
      reason: 'The text contains a line with only §, which separates entries. Add each entry separately.',
    };
  }
  if (hasConflictMarkers(content)) {
    return { refused: 'unsafe', reason: 'The text contains merge conflict markers. Remove them.' };
  }
  if (hasSecretMarker(content) || redactForModel(content) !== content) {
    const reason = 'The text seems to contain a secret. Write where the secret is stored, not the secret itself.';
    return { refused: 'unsafe', reason };
  }
  return undefined;
}

export function hasConflictMarkers(content: string): boolean {
  return CONFLICT_MARK.test(content);
}

function preview(text: string): string {
  return shorten(text, PREVIEW_CHARACTERS);
}
