/** Where the web is searched: the names of the configuration, in the order in which their keys are looked for. */
export const WEB_SEARCH_BACKENDS = ['exa', 'tavily', 'brave', 'serpapi', 'firecrawl', 'searxng', 'duckduckgo'] as const;

export type WebSearchBackend = (typeof WEB_SEARCH_BACKENDS)[number];

/** What one search service is reached with. Absent where none was chosen and no key for one is there. */
export type WebSearchService = {
  readonly backend: WebSearchBackend;
  readonly key: string | undefined;
  /** Where it is, as the person wrote it; undefined for its usual address. */
  readonly url: string | undefined;
};

/** What pages are read with. */
export interface WebPages {
  /** `security.allow_private_urls`: also addresses inside the network. */
  readonly allowPrivate: boolean;
  /** A long page in short, by the auxiliary model; absent where none is configured for it. */
  summarise?(text: string, options: SummaryOptions): Promise<string>;
}

export type SummaryOptions = { signal: AbortSignal; sessionId: string; taskId: string };
