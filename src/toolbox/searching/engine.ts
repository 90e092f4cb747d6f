import type { SearchPattern } from './search-pattern.ts';
import type { SearchScope } from './search-scope.ts';

/** A line of a file that matches, or that stands near one that does. */
export type FoundLine = { number: number; text: string; isMatch: boolean };
export type FileMatches = { path: string; lines: FoundLine[] };

/** Whether a search came to its end, or was ended by its limits. */
export type SearchEnd = { complete: boolean };

/** Takes what is found, in the order of paths; says whether to go on. */
export type Take<Found> = (found: Found) => boolean;

/** Something that searches. All of them find the same, in the same order. */
export interface SearchEngine {
  /** All files of a scope. */
  findFiles(scope: SearchScope, take: Take<string>): Promise<SearchEnd>;
  /** Lines that match, with `around` lines before and after each. */
  findLines(scope: SearchScope, pattern: SearchPattern, around: number, take: Take<FileMatches>): Promise<SearchEnd>;
}

/** This engine is not there, or cannot do this; another can. */
export class EngineUnavailable extends Error {}
