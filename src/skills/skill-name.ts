/** Also the name of a folder and of a command, so it is the same on every system and cannot lead anywhere else. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const NAME_WANTED =
  'up to 64 small letters, digits, hyphens, dots and underscores, beginning with a letter or digit';

export function isSkillName(name: string): boolean {
  return NAME.test(name) && !name.includes('..') && !name.endsWith('.');
}

export const CATEGORY_HINT = 'A category is a name such as research, or two with a slash between them.';

/** Folders between a place and its skills: `research`, `research/papers`. */
export function isCategory(category: string): boolean {
  const parts = category.split('/');
  return parts.length <= 2 && parts.every(isSkillName);
}
