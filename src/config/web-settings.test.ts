import { describe, expect, it } from 'vitest';
import { readWebExtract, readWebSearch } from './web-settings.ts';

describe('the search service', () => {
  it('is the configured one, or the first whose key or URL is set', () => {
    const backendOf = (values: Parameters<typeof readWebSearch>[0], variables = {}) =>
      readWebSearch(values, variables)?.backend;
    expect(backendOf({})).toBeUndefined();
    expect(backendOf({}, { BRAVE_API_KEY: 'b', TAVILY_API_KEY: 't', EXA_API_KEY: '' })).toBe('tavily');
    expect(backendOf({}, { SEARXNG_URL: 'http://localhost:8080' })).toBe('searxng');
    expect(backendOf({ backend: 'brave' }, { BRAVE_API_KEY: 'b', TAVILY_API_KEY: 't' })).toBe('brave');
    expect(backendOf({ search_backend: 'duckduckgo', backend: 'brave' })).toBe('duckduckgo');
    expect(backendOf({ search_backend: 'exa' }, { TAVILY_API_KEY: 't' })).toBeUndefined();
    expect(backendOf({ search_backend: 'of-others' }, { TAVILY_API_KEY: 't' })).toBe('tavily');
  });

  it('has its key and its URL', () => {
    expect(readWebSearch({ search_backend: 'searxng', search_url: 'http://s.example' }, {})).toEqual({
      backend: 'searxng',
      key: undefined,
      url: 'http://s.example',
    });
    expect(readWebSearch({}, { FIRECRAWL_API_KEY: 'k', FIRECRAWL_API_URL: 'http://f.example' })).toEqual({
      backend: 'firecrawl',
      key: 'k',
      url: 'http://f.example',
    });
  });
});

describe('the extraction service', () => {
  it('is only the configured one', () => {
    const variables = { EXA_API_KEY: 'e', FIRECRAWL_API_URL: 'http://localhost:3002' };
    expect(readWebExtract({}, variables)).toBeUndefined();
    expect(readWebExtract({ backend: 'exa' }, variables)).toBeUndefined();
    expect(readWebExtract({ extract_backend: 'tavily' }, variables)).toBeUndefined();
    expect(readWebExtract({ extract_backend: 'of-others' }, variables)).toBeUndefined();
    expect(readWebExtract({ extract_backend: 'exa' }, variables)).toEqual({ backend: 'exa', key: 'e', url: undefined });
    expect(readWebExtract({ extract_backend: 'firecrawl' }, variables)?.url).toBe('http://localhost:3002');
  });
});
