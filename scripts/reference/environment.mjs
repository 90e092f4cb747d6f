import { knownVariables } from '../../src/config/keys/index.ts';
import { PROVIDERS } from '../../src/providers/index.ts';
import { code, page, sentence, table } from './markdown.mjs';

const NOTES =
  'Variables come from the environment or from `.env` in the home folder; where both have one, `.env` counts. `hermes config set NAME VALUE` writes to `.env`.';

export function environmentPage() {
  const groups = Map.groupBy(knownVariables(), ({ group }) => group);
  const sections = [...groups].flatMap(([group, variables]) => [
    `## ${sentence(group).slice(0, -1)}`,
    table(
      ['variable', 'meaning'],
      variables.map(({ name, about }) => [code(name), about]),
    ),
  ]);
  const keys = PROVIDERS.flatMap(({ id, keyVariables, sharedVariables = [] }) =>
    keyVariables.map((name) => ({ name, id, isShared: sharedVariables.includes(name) })),
  );
  const rows = [...Map.groupBy(keys, ({ name }) => name)].map(([name, users]) => [
    code(name),
    users.map(({ id }) => code(id)).join(', '),
    users.every(({ isShared }) => isShared) ? 'no' : 'yes',
  ]);
  const keysNote =
    'A key goes to the host of its provider and to no other. Where nothing was chosen, the first of these that is set chooses the provider, unless it is one that other programs use as well.';
  return page(
    'Environment variables',
    NOTES,
    ...sections,
    '## Keys of providers',
    keysNote,
    table(['variable', 'provider', 'chooses it'], rows),
  );
}
