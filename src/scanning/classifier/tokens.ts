import { fold } from '../text/fold.ts';
import { LEXICON } from './lexicon.ts';

/** A word of a passage: a hash of its stem, its meanings as indices of `MEANINGS`, and whether it is not English. */
export type Token = { stem: number; meanings: readonly number[]; isForeign: boolean };

export const MEANINGS = Object.keys(LEXICON);
/** Splits folded text into tokens, and remembers the words that it has seen. */
export type Tokenizer = (text: string) => Token[];

const SECRET_NAME =
  /key|token|secret|passw|passphrase|pwd|credential|cookie|auth|_pat\b|dsn|database_url|conn|jwt|session/;
const SECRET_FILE =
  /(?:^|[\\/])\.env\b|\.ssh\b|id_(?:rsa|dsa|ed25519|ecdsa)|\.aws\b|\.gnupg|\.netrc|\.npmrc|\.pypirc|git-credentials|kube[\\/]config|kubeconfig|\.docker[\\/]config|\.config[\\/](?:gh|gcloud)|auth\.json|etc[\\/](?:shadow|passwd)|login data|cookies\.sqlite|wallet|_history\b|secrets?\.|credentials|private|\.pem\b|\.p12\b|\.key\b/;
const AGENT_FILE =
  /agents\.md|agent\.md|claude(?:\.local)?\.md|gemini\.md|soul\.md|memory\.md|user\.md|hermes\.md|skill\.md|cursorrules|windsurfrules|clinerules|copilot-instructions|\.cursor\b|\.claude\b|\.hermes\b|\.codex\b|\.gemini\b|mcp\.json|memories\b/;
const START_FILE =
  /\.(?:bash|zsh)(?:rc|env|_profile)|\.profile|\$profile|authorized_keys|crontab|cron\.|systemd|launchagents|rc\.local|\.git[\\/]hooks|hooks[\\/]|\.plist|init\.d|autostart/;

/** What is a token besides words: addresses, variables, options, files and numbers. */
const NOT_WORDS = String.raw`(?:https?|wss?|ftp|sftp|mqtt|tcp|s3|gs|ssh):\/\/[^\s"'${'`'}<>)\]]+|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|(?:\$\{?(?:env:)?|%|process\.env\.|os\.environ\[['"]|getenv\(['"]|secrets\.)[a-z_][a-z0-9_]*|--?[a-z][a-z-]+|[~.]{0,2}[\\/]?[\w.@-]{0,64}[\w@-][\\/.][\w][\w.\\/@*-]*|\.[a-z][\w.-]+(?:\/[\w.-]+)*|\d+`;
const TOKEN = new RegExp(`${NOT_WORDS}|[a-z][a-z']*`, 'g');
const TOKEN_ANY_SCRIPT = new RegExp(String.raw`${NOT_WORDS}|[\p{L}\p{M}][\p{L}\p{M}'’]*`, 'gu');
const UNSPACED = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]/;
const DOMAIN =
  /^(?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|app|xyz|ru|cn|site|top|info|biz|cc|tk|tld|example|invalid|onion|cloud|online|live|test|click|win|run|email)(?:[/:]|$)/;

const NUMBER = /^\d+$/;
const IP_ADDRESS = /^\d+(?:\.\d+){3}/;
const VARIABLE = /^(?:\$(?!profile)|%|process\.env|os\.environ|getenv|secrets\.)/;
/** Frequent words of other languages in Latin script, which English texts rarely contain. */
const FOREIGN_WORDS = new Set(
  `que de la el los las del una para por con sin les des une est dans pour sur avec vous tous der das und nicht den dem
  ein eine ist mit von zu auf alle il che di non della sono gli nie jest na oraz het een van niet och att som bir ve bu icin
  yang untuk dan khong cua va nao os uma em ao seu jak lub av ile au aux le sie ab`.split(/\s+/),
);
const NOT_ASCII = /[^\x20-\x7e]/;
/** The part of the tokens that must be foreign for a passage to count as foreign. */
const FOREIGN_PART = 0.2;
const NONE: readonly number[] = [];
const MAX_CACHED_WORDS = 20_000;
/** The longest entry of the lexicon in a script without spaces. */
const MAX_UNSPACED = 8;

export function createTokenizer(): Tokenizer {
  const lookup = createLookup();
  const seen = new Map<string, Token>();
  const tokenOf = (found: string): Token => {
    const known = seen.get(found);
    if (known !== undefined) return known;
    const token = kindOf(found) ?? createToken(found, lookup);
    if (seen.size < MAX_CACHED_WORDS) seen.set(found, token);
    return token;
  };
  return (text) => {
    const tokens: Token[] = [];
    const isAscii = !NOT_ASCII.test(text);
    for (const found of text.match(isAscii ? TOKEN : TOKEN_ANY_SCRIPT) ?? []) {
      if (!isAscii && UNSPACED.test(found)) addUnspaced(found, tokens, lookup);
      else tokens.push(tokenOf(found));
    }
    addPhrases(tokens, lookup);
    return tokens;
  };
}

/** Whether a passage is in another language than English. The classifier knows few of its words. */
export function isForeign(tokens: readonly Token[]): boolean {
  let count = 0;
  for (const token of tokens) if (token.isForeign) count++;
  return count > 1 && count >= tokens.length * FOREIGN_PART;
}

function createToken(word: string, lookup: Lookup): Token {
  return {
    stem: hashOf(stemOf(word)),
    meanings: meaningsOf(word, lookup),
    isForeign: NOT_ASCII.test(word) || FOREIGN_WORDS.has(word),
  };
}

/** `phrases` has the hashes of the stems of a phrase, and of the beginnings of phrases, which have no meanings. */
type Lookup = {
  words: Map<string, number[]>;
  stems: Map<string, number[]>;
  longest: number;
  phrases: Map<number, number[]>;
};

function createLookup(): Lookup {
  const lookup: Lookup = { words: new Map(), stems: new Map(), longest: 0, phrases: new Map() };
  for (const [meaning, name] of MEANINGS.entries()) {
    for (const entry of (LEXICON[name] as string).split(/\s+/).map(fold)) {
      if (entry.includes('_')) {
        addPhrase(entry.split('_'), meaning, lookup);
        continue;
      }
      const isStem = entry.endsWith('*');
      const word = isStem ? entry.slice(0, -1) : entry;
      addMeaning(isStem ? lookup.stems : lookup.words, word, meaning);
      if (isStem) lookup.longest = Math.max(lookup.longest, word.length);
    }
  }
  return lookup;
}

function addPhrase(words: readonly string[], meaning: number, { phrases }: Lookup): void {
  let hash = 0;
  for (const [at, word] of words.entries()) {
    hash = joinHashes(hash, hashOf(stemOf(word)));
    if (at === words.length - 1) addMeaning(phrases, hash, meaning);
    else if (!phrases.has(hash)) phrases.set(hash, []);
  }
}

/** The first token of a phrase gets the meanings of the phrase in addition to its own. */
function addPhrases(tokens: Token[], { phrases }: Lookup): void {
  for (let start = 0; start < tokens.length; start++) {
    let hash = 0;
    let found: number[] | undefined;
    for (let at = start; at < tokens.length; at++) {
      hash = joinHashes(hash, (tokens[at] as Token).stem);
      const meanings = phrases.get(hash);
      if (meanings === undefined) break;
      if (meanings.length > 0) found = found === undefined ? meanings : [...found, ...meanings];
    }
    if (found === undefined) continue;
    const first = tokens[start] as Token;
    tokens[start] = { ...first, meanings: [...new Set([...first.meanings, ...found])] };
  }
}

function joinHashes(one: number, other: number): number {
  return Math.imul(one ^ other, 0x01000193) + 1;
}

function addMeaning<Key>(map: Map<Key, number[]>, word: Key, meaning: number): void {
  const known = map.get(word);
  if (known === undefined) map.set(word, [meaning]);
  else if (!known.includes(meaning)) known.push(meaning);
}

function meaningsOf(word: string, { words, stems, longest }: Lookup): readonly number[] {
  const found = new Set(words.get(word));
  for (let length = Math.min(word.length, longest); length >= 2; length--)
    for (const meaning of stems.get(word.slice(0, length)) ?? NONE) found.add(meaning);
  return found.size === 0 ? NONE : [...found];
}

/** Removes the usual English endings; long words of other languages are cut. */
function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z']+$/.test(word)) return word.slice(0, 7);
  let stem = word.replace(/'s$|'$/, '');
  if (stem.length > 4) stem = stem.replace(/(?:ies|ied)$/, 'y').replace(/sses$/, 'ss');
  if (stem.length > 5) stem = stem.replace(/(?:ingly|edly|ing|ed|ly)$/, '');
  if (stem.length > 3) stem = stem.replace(/(?<!s)s$/, '').replace(/(.)\1$/, '$1');
  if (stem.length > 3) stem = stem.replace(/e$/, '');
  return stem.slice(0, 9);
}

/** Tokens of which only the kind counts, because the words in them can be any. */
const KINDS = {
  url: kind('url', 'remote'),
  urlWithVariable: kind('url with variable', 'remote'),
  mail: kind('mail', 'remote'),
  ip: kind('ip', 'remote'),
  secretVariable: kind('secret variable', 'secret'),
  variable: kind('variable'),
  secretFile: kind('secret file', 'secret'),
  agentFile: kind('agent file', 'settings'),
  startFile: kind('start file', 'lasting'),
  file: kind('file'),
  number: kind('number'),
};

function kind(name: string, meaning?: string): Token {
  return { stem: hashOf(name), meanings: meaning === undefined ? NONE : [MEANINGS.indexOf(meaning)], isForeign: false };
}

function kindOf(found: string): Token | undefined {
  if (NUMBER.test(found)) return KINDS.number;
  if (found.includes('://')) return /[${%]/.test(found) ? KINDS.urlWithVariable : KINDS.url;
  if (VARIABLE.test(found)) return SECRET_NAME.test(found) ? KINDS.secretVariable : KINDS.variable;
  if (/@.*\./.test(found)) return KINDS.mail;
  if (IP_ADDRESS.test(found)) return KINDS.ip;
  return /[./\\~]/.test(found) ? kindOfFile(found) : undefined;
}

function kindOfFile(found: string): Token {
  if (AGENT_FILE.test(found)) return KINDS.agentFile;
  if (SECRET_FILE.test(found)) return KINDS.secretFile;
  if (START_FILE.test(found)) return KINDS.startFile;
  return DOMAIN.test(found) ? KINDS.url : KINDS.file;
}

/** Scripts without spaces: pairs of characters, and the words of the lexicon that begin there. */
function addUnspaced(run: string, tokens: Token[], { words }: Lookup): void {
  for (let at = 0; at < run.length; at++) {
    const found = new Set<number>();
    for (let length = 1; length <= MAX_UNSPACED && at + length <= run.length; length++)
      for (const meaning of words.get(run.slice(at, at + length)) ?? NONE) found.add(meaning);
    tokens.push({ stem: hashOf(run.slice(at, at + 2)), meanings: [...found], isForeign: true });
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value;
}
