import type { ApiMode } from '../contracts/index.ts';

/** What an address should be instead, as the end of a sentence `… must be …`. Nothing of a password is in it. */
export type AddressFault = { wanted: string; hint: string };

const EXAMPLE = 'https://host/v1 or http://127.0.0.1:8080/v1';
const CORRECT_IT = 'Correct it where it is written, or run `hermes setup`.';

/** What is wrong with the address of an endpoint; undefined where nothing is. */
export function findAddressFault(value: string): AddressFault | undefined {
  // Before anything is repeated: a password may stand before any @, whatever else is wrong.
  if (hasPassword(value)) {
    return {
      wanted: 'a URL without a user name or password; put the key into api_key instead',
      hint: 'Addresses are stored and shown. The key belongs into api_key in config.yaml, or into OPENAI_API_KEY.',
    };
  }
  if (/\s/.test(value)) return { wanted: `a URL without spaces or line breaks, such as ${EXAMPLE}`, hint: CORRECT_IT };
  const url = URL.parse(value);
  // `acp:` stands before the name of a program; existing files have it.
  if (url !== null && /^(?:https?|acp):$/.test(url.protocol)) return undefined;
  const complete = withScheme(value);
  if (complete === undefined) return { wanted: `a URL such as ${EXAMPLE}`, hint: CORRECT_IT };
  return { wanted: `a URL with its scheme in front: ${complete}`, hint: `Write ${complete}, or run \`hermes setup\`.` };
}

/** The path of one call, which people copy along with the base URL; it tells the API mode. */
const CALL_PATHS: readonly [string, ApiMode][] = [
  ['/chat/completions', 'chat_completions'],
  ['/responses', 'codex_responses'],
  ['/messages', 'anthropic_messages'],
];

export type CleanAddress = { baseUrl: string; removed?: string; apiMode?: ApiMode };

/** A valid address as it is used: without the path of a call and without slashes at its end. A query stays. */
export function cleanAddress(value: string): CleanAddress {
  const [path = '', ...query] = value.split('?');
  const plain = path.replace(/\/+$/, '');
  const call = CALL_PATHS.find(([end]) => plain.toLowerCase().endsWith(end));
  const base = call === undefined ? plain : plain.slice(0, -call[0].length).replace(/\/+$/, '');
  const baseUrl = [base, ...query].join('?');
  return call === undefined ? { baseUrl } : { baseUrl, removed: call[0], apiMode: call[1] };
}

function hasPassword(value: string): boolean {
  const url = URL.parse(value.trim());
  if (url !== null && (url.username !== '' || url.password !== '')) return true;
  // Not a URL as it stands, but it would have one: `me:secret@host`.
  return /^[^/?#]*(?:\/\/)?[^/?#]*@/.test(value);
}

/** `localhost:1234/v1` and `api.example.com` are addresses without their beginning; other texts are not. */
function withScheme(value: string): string | undefined {
  if (value.includes('://')) return undefined;
  const name = /^([a-z\d-]+(?:\.[a-z\d-]+)*|\[[\da-f:]+\])(?::\d+)?(?:[/?]|$)/i.exec(value)?.[1];
  if (name === undefined) return undefined;
  const isNear = /^(?:localhost|[\d.]+|\[.*\]|.*\.local)$/i.test(name);
  const isLone = !name.includes('.');
  // A lone word could be anything; with a port it is a machine of the person's own.
  if (!isNear && isLone && !/:\d/.test(value)) return undefined;
  const complete = `${isNear || isLone ? 'http' : 'https'}://${value}`;
  return URL.parse(complete) === null ? undefined : complete;
}
