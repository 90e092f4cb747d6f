import { isJsonObject } from '../../base/index.ts';
import type { ConfigChange } from '../edit-config.ts';
import { readPlain } from '../parse-config.ts';
import { writeKeyText } from './key-text.ts';
import { OLD_NAMES, type OldName } from './old-names.ts';
import { findKey, type KeyPath } from './schema-keys.ts';

/** What is done about one old name. */
export type MigrationStep = {
  from: string;
  to: string;
  /** `moved`, `dropped` because the new name is set too, or `left` for the reason given. */
  outcome: 'moved' | 'dropped' | 'left';
  reason?: string;
};

export type Migration = { steps: MigrationStep[]; changes: ConfigChange[] };

/** How a file gets the names of today. Nothing is written here. */
export function planMigration(file: string, content: string): Migration {
  const { plain } = readPlain(file, content);
  const planned = OLD_NAMES.flatMap((name) => planStep(plain, name) ?? []);
  return { steps: planned.map(({ step }) => step), changes: planned.flatMap(({ changes }) => changes) };
}

function planStep(plain: unknown, { from, to }: OldName): { step: MigrationStep; changes: ConfigChange[] } | undefined {
  const value = valueAt(plain, from);
  if (value === undefined) return undefined;
  const names = { from: writeKeyText(from), to: writeKeyText(to) };
  const left = (reason: string) => ({ step: { ...names, outcome: 'left' as const, reason }, changes: [] });
  const remove: ConfigChange = { path: from, value: undefined };
  const isTaken = valueAt(plain, to) !== undefined;
  if (isJsonObject(value) && Object.keys(value).length === 0)
    return { step: { ...names, outcome: 'moved' }, changes: [remove] };
  if (isTaken) return { step: { ...names, outcome: 'dropped' }, changes: [remove] };
  const fault = findKey(to)?.faultOf(value);
  if (fault !== undefined) return left(`${names.to} must be ${fault}`);
  return { step: { ...names, outcome: 'moved' }, changes: [{ path: to, value: value as string | number }, remove] };
}

function valueAt(plain: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>((value, part) => (isJsonObject(value) ? value[part] : undefined), plain);
}
