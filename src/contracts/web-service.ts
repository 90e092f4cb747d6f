/** Search services, as named in the configuration, in the order in which Hermes checks for their keys. */
export const WEB_SEARCH_BACKENDS = ['exa', 'tavily', 'brave', 'serpapi', 'firecrawl', 'searxng', 'duckduckgo'] as const;

export type WebSearchBackend = (typeof WEB_SEARCH_BACKENDS)[number];

/** The configured search service. Absent if none is selected and no key for one is set. */
export type WebSearchService = {
  readonly backend: WebSearchBackend;
  readonly key: string | undefined;
  /** The configured base URL; undefined for the default. */
  readonly url: string | undefined;
};

/** Extraction services, as named in the configuration. */
export const WEB_EXTRACT_BACKENDS = ['firecrawl', 'tavily', 'exa'] as const;

export type WebExtractBackend = (typeof WEB_EXTRACT_BACKENDS)[number];

/** The configured extraction service. */
export type WebExtractService = {
  readonly backend: WebExtractBackend;
  readonly key: string | undefined;
  /** The configured base URL; undefined for the default. */
  readonly url: string | undefined;
};

/** How web pages are read. */
export interface WebPages {
  /** The extraction service that is tried first; absent if Hermes fetches pages itself. */
  readonly service?: WebExtractService;
  /** `security.allow_private_urls`: also allows private network addresses. */
  readonly allowPrivate: boolean;
  /** Whether the user has blocked a host. */
  isBlocked?(host: string): boolean;
  /** Summarises a long page with the auxiliary model; absent if none is configured for it. */
  summarise?(text: string, options: SummaryOptions): Promise<string>;
}

export type SummaryOptions = { signal: AbortSignal; sessionId: string; taskId: string };
