import type { ApiMode } from '../contracts/index.ts';

export type ApiModeChoice = {
  /** From the configuration or the command line. */
  explicit?: ApiMode;
  /** From the provider row. */
  provider?: ApiMode;
  baseUrl: string;
};

type UrlRule = { mode: ApiMode; host?: string; path?: RegExp };

const URL_RULES: readonly UrlRule[] = [
  { mode: 'anthropic_messages', host: 'api.anthropic.com' },
  { mode: 'anthropic_messages', path: /\/anthropic(\/v1)?\/*$/ },
  { mode: 'codex_responses', host: 'api.openai.com' },
  { mode: 'codex_responses', host: 'chatgpt.com' },
];

const OLLAMA_PORT = '11434';

/** The API mode of an endpoint: the explicit choice, else that of the provider, else a guess from the URL. */
export function chooseApiMode(choice: ApiModeChoice): ApiMode {
  return choice.explicit ?? choice.provider ?? modeOfUrl(choice.baseUrl) ?? 'chat_completions';
}

/** This is Ollama's default port, but only the server itself can tell whether it is Ollama. */
export function mayBeOllama(choice: ApiModeChoice): boolean {
  if (choice.explicit !== undefined || choice.provider !== undefined) return false;
  return URL.parse(choice.baseUrl)?.port === OLLAMA_PORT;
}

function modeOfUrl(baseUrl: string): ApiMode | undefined {
  const url = URL.parse(baseUrl);
  if (url === null) return undefined;
  const fits = (rule: UrlRule) =>
    (rule.host === undefined || rule.host === url.hostname) &&
    (rule.path === undefined || rule.path.test(url.pathname));
  return URL_RULES.find(fits)?.mode;
}
