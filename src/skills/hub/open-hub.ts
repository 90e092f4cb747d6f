import type { SkillSettings } from '../../config/index.ts';
import { parseRemote, withoutUrlCredentials } from '../installing/source.ts';
import type { HubContext, SkillCatalogue } from './catalogue.ts';
import { createGitCatalogue } from './folder-catalogue.ts';
import { createFileCatalogue, createUrlCatalogue, type FetchIndex } from './index-catalogue.ts';
import { createNpmCatalogue } from './npm-catalogue.ts';

export type HubOptions = HubContext & {
  settings: Pick<SkillSettings, 'indexes' | 'searchNpm'>;
  fetchIndex: FetchIndex;
};

const GIT = /^(?:git\+|ssh:|git:|file:|github:|[\w.-]+@[\w.-]+:)|\.git(?:#.*)?$/;

/** The configured catalogues; `skills.indexes` come before npm. */
export function openHub({ settings, fetchIndex, ...place }: HubOptions): SkillCatalogue[] {
  const own = settings.indexes.map((written) => openIndex(written, place, fetchIndex));
  return settings.searchNpm ? [...own, createNpmCatalogue(place)] : own;
}

function openIndex(written: string, hub: HubContext, fetchIndex: FetchIndex): SkillCatalogue {
  if (!GIT.test(written))
    return /^https?:/.test(written) ? createUrlCatalogue(written, fetchIndex) : createFileCatalogue(written, hub.home);
  const name = withoutUrlCredentials(written.replace(/^git\+/, ''));
  try {
    const source = parseRemote(written);
    if (source.kind === 'git') return createGitCatalogue(source, name, hub);
  } catch (thrown) {
    return { name, search: () => Promise.reject(thrown) };
  }
  return createFileCatalogue(written, hub.home);
}
