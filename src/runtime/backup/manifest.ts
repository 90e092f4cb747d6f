import { isJsonObject, parseJson } from '../../base/index.ts';

export const MANIFEST_NAME = 'hermes-backup.json';

/** The first entry of a backup, which describes it. */
export type BackupManifest = {
  format: 1;
  version: string;
  createdAt: string;
  quick: boolean;
  /** The paths of all entries that follow the manifest. */
  files: readonly string[];
};

/** Returns undefined if the text is not a manifest. */
export function readManifest(content: string): BackupManifest | undefined {
  const value = parseJson(content);
  if (!isJsonObject(value) || value['format'] !== 1 || !Array.isArray(value['files'])) return undefined;
  const files = value['files'].filter((path) => typeof path === 'string');
  const { version, createdAt, quick } = value;
  const text = (given: unknown) => (typeof given === 'string' ? given : '');
  return { format: 1, version: text(version), createdAt: text(createdAt), quick: quick === true, files };
}
