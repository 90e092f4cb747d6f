import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createToolFixture, type ToolFixtureOptions } from './tools.fixture.ts';

const open = (isolated: boolean, guard: ToolFixtureOptions['guard'] = {}) =>
  createToolFixture({ guard, adapt: (environment) => ({ ...environment, isolated }) });

/** Each of these asks for approval on the user's own machine. */
const command = 'mkdir -p made && rm -rf made';

verifies('TOOL-6', 'asks for no approval in an isolated environment', async () => {
  await using fixture = await open(true);
  expect((await fixture.run('terminal', { command })).status).toBe('ok');
  expect((await fixture.run('write_file', { path: `${fixture.home}/.bashrc`, content: 'x' })).status).toBe('ok');
  expect((await fixture.run('read_file', { path: `${fixture.home}/.bashrc` })).status).toBe('ok');
  expect(fixture.asked).toEqual([]);
});

verifies('TOOL-6', 'asks for the same command in an environment that is not isolated', async () => {
  await using fixture = await open(false);
  await fixture.run('terminal', { command });
  await fixture.run('write_file', { path: `${fixture.home}/.bashrc`, content: 'x' });
  expect(fixture.asked).toHaveLength(2);
});

verifies('TOOL-6', 'keeps the hard block in an isolated environment', async () => {
  await using fixture = await open(true, { deny: ['npm publish*'] });
  expect((await fixture.run('terminal', { command: 'npm publish' })).status).not.toBe('ok');
  await using planning = await open(true, { planMode: true });
  expect((await planning.run('terminal', { command })).status).not.toBe('ok');
});
