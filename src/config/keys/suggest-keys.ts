import { nearestNames } from '../../util/index.ts';
import { writeKeyText } from './key-text.ts';
import { type KeyPath, listKeys, namesBelow } from './schema-keys.ts';

const MOST = 3;

/** Known keys that may have been meant: the same name elsewhere, or one that is spelt alike. */
export function suggestKeys(path: KeyPath): string[] {
  const last = String(path.at(-1));
  const keys = listKeys().map((key) => key.path);
  const elsewhere = keys.filter((key) => key.at(-1) === last && key.length < 3).map(writeKeyText);
  const beside = namesBelow(path.slice(0, -1)) ?? [];
  const near = nearestNames(last, beside, 2).map((name) => writeKeyText([...path.slice(0, -1), name]));
  const anywhere = nearestNames(writeKeyText(path), keys.filter((key) => key.length < 3).map(writeKeyText), 2);
  const found = elsewhere.length > 0 || near.length > 0 ? [...elsewhere, ...near] : anywhere;
  return [...new Set(found)].slice(0, MOST);
}
