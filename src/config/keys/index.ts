export {
  checkFile,
  type FileFinding,
  findDeprecatedKey,
  listIgnoredKeys,
  type MigrationStep,
  planMigration,
} from './check-file.ts';
export { describeKey, describeKeys, type KeyDescription } from './describe-keys.ts';
export { type ConfigValue, findValue, maskSecrets, listValues } from './list-values.ts';
export { readValue } from './read-value.ts';
export {
  findKey,
  type KeyPath,
  type KnownKey,
  listKeys,
  readKeyText,
  suggestKeys,
  writeKeyText,
} from './schema-keys.ts';
export { knownVariables } from './variables.ts';
