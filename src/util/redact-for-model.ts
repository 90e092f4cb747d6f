import { AUTHORIZATION, BEARER, KEYS, PRIVATE_KEY, USER_INFO } from './redact.ts';
import { takeStart } from './truncate.ts';

/** Stands where a secret stood. A text of the model's own that has it was made from one with a secret in it. */
const SECRET_MARK = '«secret removed»';

/** Names after which a value is a secret, and those that only look like it: a place in a list is none. */
const SECRET_NAME =
  '(?:api[_-]?key|access[_-]?key|private[_-]?key|secret(?:[_-]?key)?|passw(?:or)?d|passphrase|token|credentials?)';
const NO_SECRET_NAME = /(?:page|next|cursor|continuation|sync|cancel(?:lation)?|csrf)[_-]?token$/i;
/** `NAME=value` as in a file of variables. */
const VARIABLE =
  /((?<![A-Za-z0-9_])[A-Z0-9_]{0,60}(?:API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET(?:_KEY)?|PASSW(?:OR)?D|PASSPHRASE|TOKEN|CREDENTIALS?)=)(["']?)([^\s"']{6,})/g;
/** `name: "value"`, `"name": "value"`, `name = 'value'`, and `name: value` where a value that is a secret can be told. */
const FIELD = new RegExp(
  String.raw`((?<![A-Za-z0-9])[A-Za-z0-9_-]{0,40}${SECRET_NAME}(?:\\{0,3}["'])?\s{0,9}[:=]\s{0,9}(?:\\{0,3}["'])?)([^\s"'\\,;]{8,})`,
  'gi',
);
/** What keys of some vendors begin with is also how ordinary names begin; these beginnings are theirs alone. */
const UNMISTAKABLE =
  /^(?:gh[pousr]_|github_pat_|x(?:app|ox[baprs])-|AIza|AKIA|gAAAA|(?:sk|rk)_(?:live|test)_|sk-(?:ant|proj|or)-|SG\.|do[op]_v1_|gl[a-z]+-|GR1348941|gsk_|tvly-|eyJ|\d)/;
/** Words that stand for a secret where one is yet to be put in. */
const PLACEHOLDER = /^[$<{%*([«]|\*{3}|x{4,}|\.{3}|your|example|changeme|placeholder|redacted|dummy|insert|todo/i;
/** `settings.apiKey`, `process.env.TOKEN`, `getToken(…)`: code that says where a secret comes from. */
const CODE = /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.)[A-Za-z_$][\w$]*)+[;,)]*$|[(){}[\]`<>]/;

/**
 * What a model may read of a text: secrets become a mark that can be seen. Unlike what goes to a log, this has to leave
 * code and prose alone, because the model works on them: `password: string` is no secret, nor is a hash or an id.
 */
export function redactForModel(text: string): string {
  return text
    .replace(PRIVATE_KEY, SECRET_MARK)
    .replace(AUTHORIZATION, markUnlessStandIn)
    .replace(BEARER, markUnlessStandIn)
    .replace(USER_INFO, (match: string, before: string, at: string) => {
      const password = match.slice(before.length, -at.length);
      return isStandIn(password) ? match : before + SECRET_MARK + at;
    })
    .replace(VARIABLE, (match: string, before: string, quote: string, value: string) =>
      isStandIn(value) || /^\d+$/.test(value) ? match : before + quote + SECRET_MARK,
    )
    .replace(FIELD, (match: string, before: string, value: string) =>
      isSecretField(before, value) ? before + SECRET_MARK : match,
    )
    .replace(KEYS, (key: string) => (UNMISTAKABLE.test(key) || looksRandom(key) ? SECRET_MARK : key));
}

/** The first characters of a text without its secrets. */
export function takeRedacted(text: string, limit: number, redact: (text: string) => string = redactForModel): string {
  // Cut a first time, because looking for secrets in a huge text takes long; a second time, because a mark may be longer.
  return takeStart(redact(takeStart(text.trim(), 4 * limit)), limit);
}

/** Whether a text has the place of a secret in it: written to a file, it would take the secret's place. */
export function hasSecretMark(text: string): boolean {
  return text.includes(SECRET_MARK);
}

function markUnlessStandIn(match: string, before: string): string {
  return isStandIn(match.slice(before.length)) ? match : before + SECRET_MARK;
}

function isStandIn(value: string): boolean {
  return PLACEHOLDER.test(value) || CODE.test(value);
}

function isSecretField(before: string, value: string): boolean {
  const name = /[A-Za-z0-9_-]+/.exec(before)?.[0] ?? '';
  return !NO_SECRET_NAME.test(name) && !isStandIn(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/** A key is drawn by lot: it has figures among its letters, or goes on without a break for longer than words do. */
function looksRandom(key: string): boolean {
  const body = key.replace(/^[A-Za-z0-9]+[-_.]/, '');
  return (/\d/.test(body) && /[A-Za-z]/.test(body)) || /[A-Za-z0-9]{24,}/.test(body);
}
