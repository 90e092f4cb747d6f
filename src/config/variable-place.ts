import { homePaths } from './paths.ts';
import type { Settings } from './settings.ts';

/** Where a variable gets its value, so that a person finds it: `.env` goes before the environment. */
export function placeOfVariable(settings: Pick<Settings, 'home' | 'savedVariables'>, name: string): string {
  const saved = settings.savedVariables?.has(name) === true;
  return `${name} in ${saved ? homePaths(settings.home).envFile : 'the environment'}`;
}
