import { FAMILY_WINDOWS } from './family-windows.ts';

/** The window of a model as far as its name tells; undefined for a name that says nothing. */
export function familyWindow(model: string): number | undefined {
  const name = model.toLowerCase();
  let longest = '';
  for (const part of Object.keys(FAMILY_WINDOWS)) {
    if (part.length > longest.length && name.includes(part)) longest = part;
  }
  return FAMILY_WINDOWS[longest];
}
