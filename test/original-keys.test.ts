import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isJsonObject } from '../src/base/index.ts';
import { checkFile, findDeprecatedKey, findKey, readKeyText, writeKeyText } from '../src/config/keys/index.ts';
import { allSections } from '../src/config/schema.ts';
import { parse } from '../src/util/yaml.ts';

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), 'utf8');
const DEFAULTS = read('support', 'original', 'default-config.yaml');
const DOCUMENT = read('..', 'docs', 'coming-from-hermes.md');

const sections = allSections();
const isKnown = (path: ReturnType<typeof readKeyText>) => findKey(path, sections) !== undefined;

/** The keys with a value; a list or an empty mapping is a value. */
function leaves(path: readonly string[], value: unknown): string[] {
  if (!isJsonObject(value) || Object.keys(value).length === 0) return [writeKeyText(path)];
  return Object.entries(value).flatMap(([name, inner]) => leaves([...path, name], inner));
}

const rows = [...DOCUMENT.matchAll(/^\| `([^`]+)` \| (honoured|translated|not) \| (.*?) ?\|$/gm)].map(
  ([, key = '', status, why = '']) => ({ key, path: readKeyText(key), status, why }),
);

it('the page about coming from the original lists every key of its default configuration', () => {
  expect(rows.map(({ key }) => key)).toEqual(leaves([], parse(DEFAULTS)));
});

it('the page says of each key what the schema says', () => {
  const statusOf = (path: (typeof rows)[number]['path']) =>
    findDeprecatedKey(path) === undefined ? (isKnown(path) ? 'honoured' : 'not') : 'translated';
  expect(rows.filter(({ path, status }) => status !== statusOf(path))).toEqual([]);
  expect(rows.filter(({ status, why }) => (status === 'honoured') !== (why === ''))).toEqual([]);
  const renamed = rows.filter(({ status }) => status === 'translated');
  const named = ({ path }: (typeof rows)[number]) => `\`${writeKeyText(findDeprecatedKey(path)?.to ?? [])}\``;
  expect(renamed.filter((row) => !row.why.includes(named(row)))).toEqual([]);
});

it('a key that the page names as a replacement exists', () => {
  const named = rows.flatMap(({ key, why }) =>
    [...why.matchAll(/`([a-z_]+(?:\.[a-z_]+)*)`/g)].map(([, other = '']) => ({ key, other })),
  );
  expect(named.filter(({ other }) => other !== 'fallback' && !isKnown(readKeyText(other)))).toEqual([]);
});

it('the default configuration of the original has no value that is rejected', () => {
  expect(checkFile('config.yaml', DEFAULTS).filter(({ status }) => status === 'wrong')).toEqual([]);
});
