import type { ApiMode } from '../contracts/index.ts';

/** What is wrong with a URL. `expected` is phrased to end a sentence `… must be …`. Never contains a password. */
export type UrlProblem = { expected: string; hint: string };

const EXAMPLE = 'https://host/v1 or http://127.0.0.1:8080/v1';
const CORRECT_IT = 'Correct it, or run `hermes setup`.';

/** What is wrong with the URL of an endpoint; undefined if it is valid. */
export function findUrlProblem(value: string): UrlProblem | undefined {
  // Checked first, before any message repeats the text: the part before an @ may be a password.
  if (hasPassword(value)) {
    return {
      expected: 'a URL without a user name or password; put the key into api_key instead',
      hint: 'URLs are stored and displayed. Put the key into api_key in config.yaml, or into OPENAI_API_KEY.',
    };
  }
  if (/\s/.test(value))
    return { expected: `a URL without spaces or line breaks, such as ${EXAMPLE}`, hint: CORRECT_IT };
  const url = URL.parse(value);
  // `acp:` is followed by the name of a program; existing files use it.
  if (url !== null && /^(?:https?|acp):$/.test(url.protocol)) return undefined;
  const complete = withScheme(value);
  if (complete === undefined) return { expected: `a URL such as ${EXAMPLE}`, hint: CORRECT_IT };
  return {
    expected: `a URL that includes its scheme: ${complete}`,
    hint: `Write ${complete}, or run \`hermes setup\`.`,
  };
}

/** Request paths that users copy along with the base URL; they identify the API mode. */
const CALL_PATHS: readonly [string, ApiMode][] = [
  ['/chat/completions', 'chat_completions'],
  ['/responses', 'codex_responses'],
  ['/messages', 'anthropic_messages'],
];

export type NormalisedUrl = { baseUrl: string; removed?: string; apiMode?: ApiMode };

/** Normalises a valid URL: removes a request path and trailing slashes, keeps the query. */
export function normaliseUrl(value: string): NormalisedUrl {
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
  // Without a scheme this is not a valid URL, but it may still contain a password: `me:secret@host`.
  return /^[^/?#]*(?:\/\/)?[^/?#]*@/.test(value);
}

/** Adds the scheme to `localhost:1234/v1` or `api.example.com`; undefined for other texts. */
function withScheme(value: string): string | undefined {
  if (value.includes('://')) return undefined;
  const name = /^([a-z\d-]+(?:\.[a-z\d-]+)*|\[[\da-f:]+\])(?::\d+)?(?:[/?]|$)/i.exec(value)?.[1];
  if (name === undefined) return undefined;
  const isNear = /^(?:localhost|[\d.]+|\[.*\]|.*\.local)$/i.test(name);
  const isLone = !name.includes('.');
  // A single word could be anything. Only with a port is it treated as a host in the user's network.
  if (!isNear && isLone && !/:\d/.test(value)) return undefined;
  const complete = `${isNear || isLone ? 'http' : 'https'}://${value}`;
  return URL.parse(complete) === null ? undefined : complete;
}
