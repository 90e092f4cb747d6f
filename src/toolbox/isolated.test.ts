import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createWorkshop, type WorkshopOptions } from './workshop.fixture.ts';

const open = (isolated: boolean, guard: WorkshopOptions['guard'] = {}) =>
  createWorkshop({ guard, adapt: (environment) => ({ ...environment, isolated }) });

/** Each asks on the person's own machine. */
const command = 'mkdir -p made && rm -rf made';

verifies('TOOL-6', 'nothing asks where nothing of the machine can be reached', async () => {
  await using workshop = await open(true);
  expect((await workshop.run('terminal', { command })).status).toBe('ok');
  expect((await workshop.run('write_file', { path: `${workshop.home}/.bashrc`, content: 'x' })).status).toBe('ok');
  expect((await workshop.run('read_file', { path: `${workshop.home}/.bashrc` })).status).toBe('ok');
  expect(workshop.asked).toEqual([]);
});

verifies('TOOL-6', 'the same asks where it can', async () => {
  await using workshop = await open(false);
  await workshop.run('terminal', { command });
  await workshop.run('write_file', { path: `${workshop.home}/.bashrc`, content: 'x' });
  expect(workshop.asked).toHaveLength(2);
});

verifies('TOOL-6', 'what is never allowed is not allowed in there either', async () => {
  await using workshop = await open(true, { deny: ['npm publish*'] });
  expect((await workshop.run('terminal', { command: 'npm publish' })).status).not.toBe('ok');
  await using planning = await open(true, { planMode: true });
  expect((await planning.run('terminal', { command })).status).not.toBe('ok');
});
