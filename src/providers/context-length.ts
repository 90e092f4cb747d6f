import { CONTEXT_LENGTHS } from './context-lengths.ts';

/** The window of a model as far as its name tells; undefined for a name that says nothing. */
export function knownContextLength(model: string): number | undefined {
  const name = model.toLowerCase();
  let longest = '';
  for (const part of Object.keys(CONTEXT_LENGTHS)) {
    if (part.length > longest.length && name.includes(part)) longest = part;
  }
  return CONTEXT_LENGTHS[longest];
}
