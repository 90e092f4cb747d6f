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

/** Who can read pages for us: the names of the configuration. */
export const WEB_EXTRACT_BACKENDS = ['firecrawl', 'tavily', 'exa'] as const;

export type WebExtractBackend = (typeof WEB_EXTRACT_BACKENDS)[number];

/** What a service that reads pages is reached with. */
export type WebExtractService = {
  readonly backend: WebExtractBackend;
  readonly key: string | undefined;
  /** Where it is, as the person wrote it; undefined for its usual address. */
  readonly url: string | undefined;
};

/** What pages are read with. */
export interface WebPages {
  /** Who is asked first; absent where pages are only fetched by us. */
  readonly service?: WebExtractService;
  /** `security.allow_private_urls`: also addresses inside the network. */
  readonly allowPrivate: boolean;
  /** A long page in short, by the auxiliary model; absent where none is configured for it. */
  summarise?(text: string, options: SummaryOptions): Promise<string>;
}

export type SummaryOptions = { signal: AbortSignal; sessionId: string; taskId: string };
