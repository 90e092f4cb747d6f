import { ConfigurationError, isJsonObject } from '../../base/index.ts';
import type { ConfigChange } from '../edit-config.ts';
import { findIssues, readYamlValues } from '../parse-config.ts';
import { allSections } from '../schema.ts';
import {
  findKey,
  type KeyPath,
  listKeys,
  namesBelow,
  type Sections,
  suggestKeys,
  writeKeyText,
} from './schema-keys.ts';

export type FileFinding = {
  status: 'wrong' | 'warning';
  kind: 'syntax' | 'value' | 'unknown' | 'old-name';
  key?: string;
  line?: number;
  message: string;
  hint?: string;
};

/** All errors and warnings about a config file, in line order. */
export function checkFile(file: string, content: string): FileFinding[] {
  try {
    const { plain, line } = readYamlValues(file, content);
    const issues = findIssues(plain).map(({ path, message }): FileFinding => {
      const key = writeKeyText(path);
      return { status: 'wrong', kind: 'value', ...(key !== '' && { key }), line: line(path), message };
    });
    const sections = allSections();
    const known = listKeys(sections).map((key) => key.path);
    const names = findUnknownKeys([], plain, sections).map((path) => {
      const suggest = () => suggestKeys(path, sections, known);
      return { ...describeKeyProblem(path, suggest), line: line(path) };
    });
    return [...issues, ...names].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return [{ status: 'wrong', kind: 'syntax', message: thrown.message }];
  }
}

/** The keys of a valid file that have no effect, in file order. */
export function listIgnoredKeys(file: string, content: string): string[] {
  const sections = allSections();
  const unknown = findUnknownKeys([], readYamlValues(file, content).plain, sections);
  // A few deprecated keys are still read.
  return unknown.filter((path) => findKey(path, sections) === undefined).map(writeKeyText);
}

/** Keys that are not in the schema, and deprecated ones. Of an unknown mapping only the top key is reported. */
function findUnknownKeys(path: KeyPath, value: unknown, sections: Sections): KeyPath[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => findUnknownKeys([...path, index], entry, sections));
  if (!isJsonObject(value)) return [];
  const known = namesBelow(path, sections);
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = [...path, name];
    if (path.length === 0 && METADATA_KEYS.includes(name)) return [];
    if (findDeprecatedKey(here) !== undefined || (known !== undefined && !known.includes(name))) return [here];
    return findUnknownKeys(here, inner, sections);
  });
}

function describeKeyProblem(path: KeyPath, suggest: () => string[]): FileFinding {
  const key = writeKeyText(path);
  const renamed = findDeprecatedKey(path);
  if (renamed !== undefined) {
    const message = `${key} is deprecated; it was renamed to ${writeKeyText(renamed.to)}.`;
    return { status: 'warning', kind: 'old-name', key, message, hint: 'Run: hermes config migrate' };
  }
  const near = suggest();
  const hint = near.length === 0 ? undefined : `Did you mean ${near.join(' or ')}?`;
  return { status: 'warning', kind: 'unknown', key, message: `${key} is not a known key and is ignored.`, hint };
}

/** How the migration treats one deprecated key. */
export type MigrationStep = {
  from: string;
  to: string;
  /** `moved`; `dropped` because the new key is set too; or `left` unchanged for the given reason. */
  outcome: 'moved' | 'dropped' | 'left';
  reason?: string;
};

type Migration = { steps: MigrationStep[]; changes: ConfigChange[] };

/** Plans the changes that rename deprecated keys. Does not write anything. */
export function planMigration(file: string, content: string): Migration {
  const { plain } = readYamlValues(file, content);
  const planned = DEPRECATED_KEYS.flatMap((name) => planStep(plain, name) ?? []);
  return { steps: planned.map(({ step }) => step), changes: planned.flatMap(({ changes }) => changes) };
}

function planStep(
  plain: unknown,
  { from, to }: DeprecatedKey,
): { step: MigrationStep; changes: ConfigChange[] } | undefined {
  const value = valueAt(plain, from);
  if (value === undefined) return undefined;
  const names = { from: writeKeyText(from), to: writeKeyText(to) };
  const left = (reason: string) => ({ step: { ...names, outcome: 'left' as const, reason }, changes: [] });
  const remove: ConfigChange = { path: from, value: undefined };
  const isTaken = valueAt(plain, to) !== undefined;
  const isEmpty = value === '' || (isJsonObject(value) && Object.keys(value).length === 0);
  if (isEmpty) return { step: { ...names, outcome: 'moved' }, changes: [remove] };
  if (isTaken) return { step: { ...names, outcome: 'dropped' }, changes: [remove] };
  const fault = findKey(to)?.findProblem(value);
  if (fault !== undefined) return left(`${names.to} must be ${fault}`);
  return { step: { ...names, outcome: 'moved' }, changes: [{ path: to, value: value as string | number }, remove] };
}

function valueAt(plain: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>((value, part) => (isJsonObject(value) ? value[part] : undefined), plain);
}

/** A deprecated key and its current name. */
type DeprecatedKey = { from: KeyPath; to: KeyPath };

/** Deprecated keys whose values have the same meaning under the new name. If both are set, the new one wins. */
const DEPRECATED_KEYS: readonly DeprecatedKey[] = [
  { from: ['max_turns'], to: ['agent', 'max_turns'] },
  { from: ['provider'], to: ['model', 'provider'] },
  { from: ['base_url'], to: ['model', 'base_url'] },
  { from: ['model', 'model'], to: ['model', 'default'] },
  { from: ['compression', 'summary_provider'], to: ['auxiliary', 'compression', 'provider'] },
  { from: ['compression', 'summary_model'], to: ['auxiliary', 'compression', 'model'] },
  { from: ['compression', 'summary_base_url'], to: ['auxiliary', 'compression', 'base_url'] },
  { from: ['compression', 'threshold_tokens'], to: ['compression', 'max_tokens'] },
  { from: ['terminal', 'docker_network'], to: ['terminal', 'container_network'] },
  { from: ['cron', 'max_parallel_jobs'], to: ['cron', 'max_parallel'] },
  { from: ['gateway', 'api_server', 'max_concurrent_runs'], to: ['api_server', 'max_runs'] },
  { from: ['display', 'bell_on_complete'], to: ['display', 'bell'] },
  { from: ['bedrock', 'region'], to: ['providers', 'bedrock', 'region'] },
  { from: ['vertex', 'region'], to: ['providers', 'vertex', 'region'] },
  { from: ['vertex', 'project_id'], to: ['providers', 'vertex', 'project'] },
];

/** Top-level keys with metadata about the file itself. */
const METADATA_KEYS: readonly string[] = ['_config_version'];

export function findDeprecatedKey(path: KeyPath): DeprecatedKey | undefined {
  return DEPRECATED_KEYS.find(({ from }) => from.length === path.length && from.every((part, at) => part === path[at]));
}
