import { knownVariables } from '../../src/config/keys/index.ts';
import { PLATFORMS, platformVariables } from '../../src/platforms/index.ts';
import { PROVIDERS } from '../../src/providers/index.ts';
import { code, page, sentence, table } from './markdown.mjs';

const NOTES =
  'Variables are read from the environment and from `.env` in the home directory; `.env` takes precedence. `hermes config set NAME VALUE` writes to `.env`.';

export function environmentPage() {
  const platforms = PLATFORMS.flatMap((platform) =>
    platformVariables(platform).map((variable) => ({ ...variable, group: platform.label })),
  );
  const groups = Map.groupBy([...knownVariables(), ...platforms], ({ group }) => group);
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
    'A key is only sent to the host of its provider. If no provider is configured, the first of these variables that is set selects it, except for those that other programs use as well.';
  return page(
    'Environment variables',
    NOTES,
    ...sections,
    '## API keys',
    keysNote,
    table(['variable', 'provider', 'selects it'], rows),
  );
}
