import { createCloudEnvironment } from './cloud.ts';

/**
 * A separate process that opens a container, starts a command in it and prints its record; then it exits or waits to
 * be killed.
 */
const { ending, ...options } = JSON.parse(process.argv[2] ?? '') as Parameters<typeof createCloudEnvironment>[0] & {
  ending: string;
};
const environment = await createCloudEnvironment(options);
const started = await environment.start('echo kept >~/left.txt; sleep 4567.75', { killOnExit: true });
process.stdout.write(`${JSON.stringify(started.record)}\n`, () => {
  if (ending === 'leave') process.exit(0);
});
setInterval(() => undefined, 60_000);
