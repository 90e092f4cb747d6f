import { isExpression, isIdentifier, isInCode, isReference } from './secret-values.ts';

/** Names of tokens that are not secret, such as the position in a list. */
const NON_SECRET_NAME =
  /(?:page|next|cursor|continuation|sync|cancel(?:lation)?|csrf|stop|pad|eos|bos|mask)[_-]?token$/i;
/** A token is a secret only by a fuller name: "the token: 42" is not an assignment. */
const PLAIN_TOKEN = /(?<!access|auth|refresh|session|bearer|api|[_-])token\\{0,3}(["']?)\s{0,9}([:=])/i;

const QUOTE = String.raw`\\{0,3}["']`;
/** `NAME=value`, `name: "value"`, `"name": "value"`, `name = 'value'`; quotes may be escaped, in JSON inside JSON. */
const NAMED = new RegExp(
  String.raw`((?:(?:api|access|private|secret|signing|encryption|master|auth|account|license|app|application|service|storage|webhook|shared)[_-]?key|secret|passw(?:or)?d|passphrase|token|credentials?)` +
    String.raw`(?:_?(?:\d{1,3}|prod|dev|test|staging|live|base|value|b64))?(?:${QUOTE})?\s{0,9}(?:=>|:=|[:=])\s{0,9})` +
    String.raw`(\\{0,3}"[^"\n]{1,4000}|\\{0,3}'[^'\n]{1,4000}|[^\s"'\`,;}&]{1,4000})`,
  'gi',
);

/** A value with a name that says that it is a secret. */
export type NamedValue = {
  /** The whole name, as far as it consists of word characters. */
  name: string;
  value: string;
  /** Between the name and the value. */
  gap: string;
  isQuoted: boolean;
  isCode: boolean;
};

/** Replaces the values whose name marks them as secrets, if they are. */
export function redactNamedValues(text: string, mark: string, isSecret: (named: NamedValue) => boolean): string {
  return text.replace(NAMED, (match: string, before: string, given: string, at: number) => {
    const open = /^\\{0,3}["']?/.exec(given)?.[0] ?? '';
    const escape = /\\{0,3}$/.exec(given.slice(open.length))?.[0] ?? '';
    const value = given.slice(open.length, given.length - escape.length);
    if (value === '' || value.startsWith(mark)) return match;
    const name = (/[\w-]{0,40}$/.exec(text.slice(Math.max(0, at - 40), at))?.[0] ?? '') + before.replace(/\W[^]*$/, '');
    const isQuoted = open !== '';
    const gap = before.replace(/^[\w-]+/, '');
    const isCode = !isQuoted && isInCode(text, at, at + match.length);
    return isSecret({ name, value, gap, isQuoted, isCode }) ? before + open + mark + escape : match;
  });
}

/** For text that is displayed or logged: short values too, because nobody works on this text. */
export function isShownSecret({ name, value, gap, isQuoted, isCode }: NamedValue): boolean {
  if (NON_SECRET_NAME.test(name) || isExpression(value) || isReference(value)) return false;
  if (isVariable(name, gap)) return true;
  const token = PLAIN_TOKEN.exec(name + gap);
  if (token !== null && gap !== '=' && !(token[1] !== '' && isQuoted)) return false;
  return isQuoted || !(isCode || isIdentifier(value));
}

/**
 * For text that a model reads: the value must look like a secret, because the model works on code and prose that must
 * not change. `NAME=value` as in an `.env` file needs less.
 */
export function isSecretForModel({ name, value, gap, isQuoted, isCode }: NamedValue): boolean {
  if (NON_SECRET_NAME.test(name) || isExpression(value) || isReference(value) || /\s/.test(value)) return false;
  if (isVariable(name, gap)) return value.length >= 6 && !/^\d+$/.test(value);
  if (!isQuoted && (isCode || isIdentifier(value))) return false;
  return value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/** `NAME=value`, as in a shell or an `.env` file. */
function isVariable(name: string, gap: string): boolean {
  return gap === '=' && /^[A-Z0-9_]+$/.test(name);
}
