import { afterAll, beforeAll, describe } from 'vitest';
import { type CloudBench, createCloudBench } from './cloud-bench.fixture.ts';
import { describeEnvironment } from '../conformance.ts';

describe('with a fake Daytona server', () => {
  let bench: CloudBench;
  beforeAll(async () => {
    bench = await createCloudBench('daytona');
  });
  afterAll(() => bench.close());
  describeEnvironment(
    'daytona',
    (workingDirectory) => bench.open({ persistent: false, workingDirectory, directory: workingDirectory }),
    { share: { nth: 4, start: 2 } },
  );
});
