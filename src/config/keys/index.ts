export { checkFile, type FileFinding } from './check-file.ts';
export { findValue } from './find-value.ts';
export { readKeyText, writeKeyText } from './key-text.ts';
export { type ConfigValue, hideSecrets, listValues } from './list-values.ts';
export { findOldName } from './old-names.ts';
export { type MigrationStep, planMigration } from './plan-migration.ts';
export { readValue } from './read-value.ts';
export { findKey, type KeyPath, type KnownKey, listKeys } from './schema-keys.ts';
export { suggestKeys } from './suggest-keys.ts';
