import { afterAll, beforeAll, describe } from 'vitest';
import { variablesWithSecret } from '../conformance/bench.ts';
import { describeEnvironment } from '../conformance.ts';
import { createExitTasks } from '../exit-tasks.ts';
import { createContainerEnvironment } from './container.ts';
import { createFakeEngine, type FakeEngine } from './container-engine.fixture.ts';

const exitTasks = createExitTasks();
const rules = { network: true, mountsWorkingDirectory: false };

/** Tests the container environment with a fake engine that runs commands in a local shell. */
describe.each([
  // Docker, singularity and ssh share their code, so in the small dose each of them runs only some of the test
  // groups.
  ['docker', 'docker', { nth: 2, start: 1 }],
  ['singularity', 'apptainer', { nth: 4, start: 2 }],
] as const)('with the command line of an engine', (backend, kind, share) => {
  let engine: FakeEngine;
  beforeAll(() => {
    engine = createFakeEngine(kind);
  });
  afterAll(() => engine.close());
  const open = (workingDirectory: string) =>
    createContainerEnvironment({
      ...rules,
      image: 'none',
      volumes: [],
      extraArguments: [],
      backend,
      program: engine.program,
      home: engine.folder,
      persistent: false,
      workingDirectory,
      directory: workingDirectory,
      env: variablesWithSecret(),
      exitTasks,
    });
  describeEnvironment(backend, open, { share });
});
