import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isTest, readSources } from './source-file.ts';

const ROOT = join(import.meta.dirname, '../..');

it('docs/testing.md lists all files with tests that run only in the full dose, and no others', () => {
  const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');
  const [, table = ''] = /\| what only the full dose tests \|\n\|---\|---\|\n((?:\|.*\n)*)/.exec(page) ?? [];
  const listed = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, path]) => path);
  const importing = /import \{[^}]*\bfullDoseOnly\b[^}]*\} from '[^']*\/dose\.ts'/;
  const used = readSources(ROOT, ['src', 'test']).filter(({ path, text }) => isTest(path) && importing.test(text));
  expect(listed.toSorted()).toEqual(used.map(({ path }) => path).toSorted());
});
