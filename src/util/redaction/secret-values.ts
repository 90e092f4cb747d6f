import type { KeyFormat } from './key-formats.ts';

/** Placeholders for a secret that has yet to be filled in, or that was already removed. */
const PLACEHOLDER =
  /^(?:[$<{%*([«]|\*{3}|x{4,}|\.{3}|…|your|example|changeme|placeholder|redacted|\[redacted|dummy|insert|todo|env\.|env:|!(?:vault|ref|sub|secret|env|include|join|getatt)|ENV\[|process\.env|os\.environ|secrets?\.|vault:|op:\/\/|ref\+|arn:|projects\/)/i;
/** `settings.apiKey` and `process.env.TOKEN`: code that reads a secret. */
const MEMBER = /^[A-Za-z_$][\w$]*(?:(?:\?\.|!?\.|::|->)[A-Za-z_$][\w$]*)+[;,)!]*$/;
/** `getToken(…)` and `keys[0]`. */
const BRACKET = /[(){}[\]`<>]/;
/** Names of types and constants, and words that say something about a secret instead of being one. */
const NO_SECRET =
  /^(?:string|str|bytes?|bool(?:ean)?|number|int(?:eger)?|float|char|text|any|unknown|void|never|object|optional|required|maybe|true|false|yes|no|null|nil|none|nothing|undefined|nan|default|self|this|base64|base64url|utf-?8|hex|sha\d+|hs256|rs256|es256|oauth2?|jwt|bearer|basic|u?int\d+|f(?:loat)?32|f(?:loat)?64|uint8array|int32array|varchar\d*|secret(?:str|string)?|password|token|invalid|expired|missing|unset|empty|set|not|is|was|the|and|or|for|from|with|in|of|to|if|else|wrong|incorrect|required,?|denied|file|stdin|prompt|read-?only|write-?only|hidden|masked|same-origin|include|omit)[?!;,.)|&:]*$/i;
/** A value that refers to another place, such as a URL or a file. */
const REFERENCE = /^(?:[a-z][a-z0-9+.-]*:\/\/[^\s@]*|~?\/[\w.-]+(?:\/[\w.-]+)+)$/i;

/** Whether a value is a placeholder for a secret, or code that computes one. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || BRACKET.test(value) || NO_SECRET.test(value);
}

/** Whether a value is a placeholder, or code that reads a property. */
export function isExpression(value: string): boolean {
  return isPlaceholder(value) || MEMBER.test(value);
}

/** Whether a value names the place of a secret. */
export function isReference(value: string): boolean {
  return REFERENCE.test(value);
}

/** Keys are random: they mix digits and letters, or are longer than any word without a separator. */
export function looksRandom(key: string): boolean {
  const body = key.replace(/^[A-Za-z0-9]+[-_.]/, '');
  return (/\d/.test(body) && /[A-Za-z]/.test(body)) || /[A-Za-z0-9]{24,}/.test(body);
}

/** Whether a text that was recognised by its format is a key, and not a name that begins like one. */
export function isRealKey(key: string, { vague }: KeyFormat): boolean {
  return vague !== true || looksRandom(key);
}

/** An identifier of code, such as `previousToken2` or `user_password`, as opposed to a password. */
export function isIdentifier(value: string): boolean {
  const name = /^([A-Za-z_$][A-Za-z_$]*?)\d{0,2}$/.exec(value)?.[1];
  if (name === undefined) return false;
  return /[a-z][A-Z]|_[A-Za-z]|^\$/.test(name) || /^(?:key|value|input|param|arg|token|secret|pass|data)/i.test(name);
}

/** The beginnings of lines in which an unquoted value is an expression of code. */
const CODE_LINE =
  /^[\s\d|+>-]*(?:(?:export|public|private|protected|static|readonly|declare|async|await|return|const|let|var|val|final|auto|type|interface|def|func?|fn|if|elif|while|for|import|from|assert|expect|throw|case)\s|(?:this|self)\.)/;

/** Whether the line in which an unquoted value begins is code. */
export function isInCode(text: string, at: number, end: number): boolean {
  const next = text[end];
  if (next === ';' || next === ')' || next === '(' || next === '[') return true;
  const from = text.lastIndexOf('\n', at - 1) + 1;
  return CODE_LINE.test(text.slice(Math.max(from, at - 200), at));
}
