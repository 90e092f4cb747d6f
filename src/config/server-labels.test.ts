import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { labelServers } from './server-labels.ts';

it('leaves a name as it is where providers take it and no other could mean the same', () => {
  const names = ['files', 'my-server', 'with_underscore', 'a b.c', 'x__y'];
  expect([...labelServers(names).values()]).toEqual(['files', 'my-server', 'with_underscore', 'a_b_c', 'x__y']);
});

verifies('SURF-8', 'no two servers can have a tool of the same name, whatever both are called', () => {
  expect([...labelServers(['my.server', 'my_server', 'a', 'a__b', 'a_', 'my_server_2']).values()]).toEqual([
    ...['my_server', 'my_server_2', 'a', 'a_b_2', 'a_2', 'my_server_2_2'],
  ]);
  const word = fc.string({ unit: fc.constantFrom('a', '_', '.', '2'), maxLength: 6 });
  const words = fc.uniqueArray(word, { maxLength: 8 });
  fc.assert(
    fc.property(words, words, (servers, tools) => {
      const labels = [...labelServers(servers).values()];
      const plain = [...new Set(tools.map((tool) => tool.replaceAll('.', '_') || '_'))];
      const names = labels.flatMap((label) => plain.map((tool) => `${label}__${tool}`));
      expect(new Set(names).size).toBe(names.length);
      for (const label of labels) expect(label).toMatch(/^[A-Za-z0-9_-]+$/);
    }),
  );
});
