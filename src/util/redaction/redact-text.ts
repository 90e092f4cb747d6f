import { replaceKeys } from './find-keys.ts';
import { KEY_SHAPES, type KeyFormat } from './key-formats.ts';
import { createKnownSecrets, replaceRanges } from './known-secrets.ts';
import { type NamedValue, redactNamedValues } from './named-values.ts';
import { redactAwsSecrets, redactCookies, SECRET_RULES } from './secret-rules.ts';

/**
 * The known secrets of this process. This is deliberately shared by all agents and homes of the process: a secret must
 * not be shown to any user or model, and code that shows text cannot forget to pass it.
 */
const KNOWN = createKnownSecrets();

/** How secrets are replaced in one kind of text. */
export type RedactionStyle = {
  /** Replaces a secret. */
  mark: string;
  privateKeyMark: string;
  /** Replaces a key that was recognised by its format; undefined leaves it alone. */
  markKey(key: string, format: KeyFormat): string | undefined;
  isNamedSecret(named: NamedValue): boolean;
  /** Whether a value is a placeholder instead of a secret. */
  isPlaceholder(value: string): boolean;
};

const PRIVATE_KEY =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** Remembers values that are masked from now on wherever text is redacted, in any common encoding. */
export function rememberSecrets(values: Iterable<string | undefined>): void {
  KNOWN.add(values);
}

/** Whether a text contains a known secret in any encoding, for text that must not be sent with it. */
export function hasKnownSecret(text: string): boolean {
  return KNOWN.find(text).length > 0;
}

/** Replaces known secrets only, in text that must otherwise not change, such as documents of the user. */
export function replaceKnownSecrets(text: string, mark: string): string {
  return replaceRanges(text, KNOWN.find(text), mark);
}

/** Whether the end of a text may be the beginning of a known secret with spaces or line breaks in it. */
export function endsInKnownSecret(text: string): boolean {
  return KNOWN.isOpenEnd(text);
}

/** Replaces all secrets: known values, private keys, keys by their format, and values by the text around them. */
export function redactText(text: string, style: RedactionStyle): string {
  const { mark } = style;
  let result = replaceRanges(text, KNOWN.find(text), mark);
  if (result.includes('PRIVATE KEY')) result = result.replace(PRIVATE_KEY, style.privateKeyMark);
  for (const { needs, pattern, isSecret } of SECRET_RULES) {
    if (needs !== undefined && !result.includes(needs)) continue;
    result = result.replace(pattern, (match: string, before: string, secret: string, after: string) =>
      style.isPlaceholder(secret) || isSecret?.(secret, before) === false ? match : before + mark + after,
    );
  }
  result = redactCookies(result, mark);
  result = redactNamedValues(result, mark, style.isNamedSecret);
  result = redactAwsSecrets(result, mark);
  for (const { needs, pattern } of KEY_SHAPES) {
    if (result.includes(needs))
      result = result.replace(pattern, (_match: string, ...groups: unknown[]) => replaceShape(groups, mark));
  }
  return replaceKeys(result, style.markKey);
}

/** Keeps the text around the secret, which the pattern may capture. */
function replaceShape(groups: readonly unknown[], mark: string): string {
  const [before, after] = groups.map((group) => (typeof group === 'string' ? group : ''));
  const captured = groups.length > 2;
  return captured ? `${before}${mark}${groups.length > 3 ? after : ''}` : mark;
}
