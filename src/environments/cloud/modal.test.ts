import { afterAll, beforeAll, describe } from 'vitest';
import { type CloudBench, createCloudBench } from './cloud-bench.fixture.ts';
import { describeEnvironment } from '../conformance.ts';

describe('with a fake Modal server', () => {
  let bench: CloudBench;
  beforeAll(async () => {
    bench = await createCloudBench('modal');
  });
  afterAll(() => bench.close());
  describeEnvironment(
    'modal',
    (workingDirectory) => bench.open({ persistent: false, workingDirectory, directory: workingDirectory }),
    { share: { nth: 4, start: 0 } },
  );
});
