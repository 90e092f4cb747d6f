import { isShownSecret } from './named-values.ts';
import { type RedactionStyle, redactText } from './redact-text.ts';
import { isPlaceholder, isRealKey } from './secret-values.ts';

const SECRET_NAME =
  /(?:(?:api|access|private|signing)[_-]?key|secret|passw(?:or)?d|passphrase|token|authorization|cookie|credentials?)$/i;
/** Names of variables that indicate a secret, and exceptions that match but hold none. */
const SECRET_VARIABLE = /KEY|TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|CREDENTIAL|_PAT$|^HERMES_DATABASE_URL$/i;
const HARMLESS_VARIABLE =
  /^(?:TOKENIZERS_PARALLELISM|GNOME_KEYRING_\w+|KEYTIMEOUT|SSH_AUTH_SOCK|SSH_ASKPASS|\w*KEYBOARD\w*)$/i;

/** On a screen, a part without separators that is longer than most words is enough for a key. */
const LONG_WORD = /[A-Za-z0-9]{16,}/;

const SHOWN: RedactionStyle = {
  mark: '***',
  privateKeyMark: '«private key removed»',
  markKey: (key, format) => (isRealKey(key, format) || LONG_WORD.test(key) ? maskSecret(key) : undefined),
  isNamedSecret: isShownSecret,
  isPlaceholder,
};

/** Whether a field with this name contains a secret, whatever its value looks like. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Whether an environment variable with this name holds a secret. */
export function isSecretVariableName(name: string): boolean {
  return SECRET_VARIABLE.test(name) && !HARMLESS_VARIABLE.test(name);
}

/**
 * Replaces everything that looks like a secret or is a known one. For text that is displayed, logged or sent; never
 * for commands that are run or files that are written.
 */
export function redactSecrets(text: string): string {
  return redactText(text, SHOWN);
}

/** Long keys keep their first and last characters, so that they can be told apart. */
export function maskSecret(secret: string): string {
  return secret.length >= 18 ? `${secret.slice(0, 6)}***${secret.slice(-4)}` : '***';
}
