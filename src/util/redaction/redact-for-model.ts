import { takeStart } from '../truncate.ts';
import { isSecretForModel } from './named-values.ts';
import { type RedactionStyle, redactText, replaceKnownSecrets } from './redact-text.ts';
import { isExpression, isRealKey } from './secret-values.ts';

/** The marker that replaces a secret. If the model writes it, the model copied redacted text. */
const SECRET_MARKER = '«secret removed»';

const FOR_MODEL: RedactionStyle = {
  mark: SECRET_MARKER,
  privateKeyMark: SECRET_MARKER,
  markKey: (key, format) => (isRealKey(key, format) ? SECRET_MARKER : undefined),
  isNamedSecret: isSecretForModel,
  isPlaceholder: isExpression,
};

/**
 * Replaces secrets in text for models with a visible marker. Unlike redaction for logs, it must not change code and
 * prose, because the model works on them: `password: string` is not a secret, and neither is a hash or an id.
 */
export function redactForModel(text: string): string {
  return redactText(text, FOR_MODEL);
}

/** A private key with at least two lines of data; an example has dots instead. */
const WHOLE_PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----\s+(?:[A-Za-z][\w-]*: [^\n]*\n)*\s*(?:[A-Za-z0-9+/=]+\s+){2,}-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** Replaces only known secrets and private keys, in the user's own documents, whose examples must stay as they are. */
export function maskKnownSecrets(text: string): string {
  const masked = replaceKnownSecrets(text, SECRET_MARKER);
  return masked.includes('PRIVATE KEY') ? masked.replace(WHOLE_PRIVATE_KEY, SECRET_MARKER) : masked;
}

/** The first characters of a text after redaction. */
export function takeRedacted(text: string, limit: number, redact: (text: string) => string = redactForModel): string {
  // Truncated before redaction, because scanning a huge text takes long, and again after it, because a marker may be
  // longer than the secret.
  return takeStart(redact(takeStart(text.trim(), 4 * limit)), limit);
}

/** Whether a text contains the marker of a redacted secret. Writing it to a file would overwrite the secret. */
export function hasSecretMarker(text: string): boolean {
  return text.includes(SECRET_MARKER);
}
