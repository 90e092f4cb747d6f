import { ConfigurationError, isJsonObject } from '../../base/index.ts';
import { findIssues, readPlain } from '../parse-config.ts';
import { writeKeyText } from './key-text.ts';
import { ABOUT_THE_FILE, findOldName } from './old-names.ts';
import { type KeyPath, namesBelow } from './schema-keys.ts';
import { suggestKeys } from './suggest-keys.ts';

export type FileFinding = {
  status: 'wrong' | 'warning';
  kind: 'syntax' | 'value' | 'unknown' | 'old-name';
  key?: string;
  line?: number;
  message: string;
  hint?: string;
};

/** All that is wrong with a file or worth knowing about it, in the order of its lines. */
export function checkFile(file: string, content: string): FileFinding[] {
  try {
    const { plain, line } = readPlain(file, content);
    const issues = findIssues(plain).map(({ path, message }): FileFinding => {
      const key = writeKeyText(path);
      return { status: 'wrong', kind: 'value', ...(key !== '' && { key }), line: line(path), message };
    });
    const names = strangeNames([], plain).map((path) => ({ ...judgeName(path), line: line(path) }));
    return [...issues, ...names].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return [{ status: 'wrong', kind: 'syntax', message: thrown.message }];
  }
}

/** Names that the schema does not have, and old ones that it still reads; an unknown mapping is named once. */
function strangeNames(path: KeyPath, value: unknown): KeyPath[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => strangeNames([...path, index], entry));
  if (!isJsonObject(value)) return [];
  const known = namesBelow(path);
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = [...path, name];
    if (path.length === 0 && ABOUT_THE_FILE.includes(name)) return [];
    if (findOldName(here) !== undefined || (known !== undefined && !known.includes(name))) return [here];
    return strangeNames(here, inner);
  });
}

function judgeName(path: KeyPath): FileFinding {
  const key = writeKeyText(path);
  const renamed = findOldName(path);
  if (renamed !== undefined) {
    const message = `${key} is an old name; now it is ${writeKeyText(renamed.to)}.`;
    return { status: 'warning', kind: 'old-name', key, message, hint: 'Run: hermes config migrate' };
  }
  const near = suggestKeys(path);
  const hint = near.length === 0 ? undefined : `Did you mean ${near.join(' or ')}?`;
  return { status: 'warning', kind: 'unknown', key, message: `${key} is not known here, and is left alone.`, hint };
}
