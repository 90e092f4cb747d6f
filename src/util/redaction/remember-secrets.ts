import { isJsonObject, type JsonValue } from '../../base/index.ts';
import { looksLikeKey } from './find-keys.ts';
import { isSecretName, isSecretVariableName } from './redact-secrets.ts';
import { rememberSecrets } from './redact-text.ts';

/** Remembers the values of environment variables that hold secrets, by their name or the format of the value. */
export function rememberVariables(variables: Readonly<Record<string, string | undefined>>): void {
  const secrets = Object.entries(variables).filter(
    ([name, value]) => value !== undefined && (isSecretVariableName(name) || looksLikeKey(value)),
  );
  rememberSecrets(secrets.map(([, value]) => value));
}

/** Remembers the texts of a document whose field names mark them as secrets, such as those of `auth.json`. */
export function rememberFields(document: JsonValue | undefined, name = ''): void {
  if (typeof document === 'string') {
    if (isSecretName(name) || looksLikeKey(document)) rememberSecrets([document]);
  } else if (Array.isArray(document)) {
    for (const entry of document) rememberFields(entry, name);
  } else if (isJsonObject(document)) {
    for (const [field, value] of Object.entries(document)) rememberFields(value, field);
  }
}
