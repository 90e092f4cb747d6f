import { AUXILIARY_TASKS } from '../../contracts/index.ts';
import { allSections, sectionSchema } from '../schema.ts';
import { type DefaultValue, keyDefaults } from './key-defaults.ts';
import { keyMeanings } from './key-meanings.ts';
import { type KeyPath, type KnownKey, describeSchema, innerOf } from './schema-keys.ts';

/** The documentation of a key. */
export type KeyDescription = Pick<KnownKey, 'kind' | 'expected' | 'choices'> & {
  /** E.g. `custom_providers[].name`: `[]` is any list entry, NAME any name, TASK any auxiliary task. */
  key: string;
  about: string;
  default?: DefaultValue;
  /** The environment variable that is used if the key is not set. */
  variable?: string;
};

export type SectionDescription = { name: string; about: string; keys: readonly KeyDescription[] };

/** Every known key by section, including those inside lists and mappings. */
export function describeKeys(): SectionDescription[] {
  return Object.entries(allSections()).map(([name, schema]) => describeSection(name, schema));
}

function describeSection(name: string, schema: Schema): SectionDescription {
  const meanings = keyMeanings();
  const defaults = keyDefaults();
  const keys = formsOf(name, schema).map(([key, { kind, expected, choices }]): KeyDescription => {
    const meaning = meanings[key] ?? '';
    const known = typeof meaning === 'string' ? { about: meaning } : meaning;
    return { key, kind, expected, choices, ...known, ...(key in defaults && { default: defaults[key] }) };
  });
  const meaning = meanings[name] ?? '';
  return { name, about: typeof meaning === 'string' ? meaning : meaning.about, keys };
}

/** The description of a key as written in a file. */
export function describeKey(path: KeyPath): KeyDescription | undefined {
  const name = String(path[0]);
  const schema = sectionSchema(name);
  if (schema === undefined) return undefined;
  const { keys } = describeSection(name, schema);
  return keys.find(({ key }) => patternOf(key).test(path.map(String).join('\n')));
}

type Schema = ReturnType<typeof allSections>[string];

/** All auxiliary tasks have the same keys, so they are described once. */
function formsOf(key: string, schema: Schema): [key: string, KnownKey][] {
  const inner =
    key === 'auxiliary'
      ? innerOf(schema)
          .slice(0, 1)
          .map(([, task]) => ['.TASK', task] as const)
      : innerOf(schema);
  if (inner.length === 0) return [[key, describeSchema([key], schema)]];
  return inner.flatMap(([name, child]) => formsOf(`${key}${name}`, child));
}

/** A pattern for key paths in which `[]`, TASK and NAME match any entry. */
function patternOf(key: string): RegExp {
  const parts = key
    .replaceAll('[]', '.[]')
    .split('.')
    .map((part) => {
      if (part === '[]') return '\\d+';
      if (part === 'TASK') return `(?:${AUXILIARY_TASKS.join('|')})`;
      return part === 'NAME' ? '[^\\n]+' : part;
    });
  return new RegExp(`^${parts.join('\\n')}$`);
}
