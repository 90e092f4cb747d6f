import { createContainerEnvironment } from './container.ts';

/** A program of its own that opens a container, starts something in it, and says so; then it leaves, or waits to be killed. */
const [program = '', home = '', ending = ''] = process.argv.slice(2);
const environment = await createContainerEnvironment({
  ...{ backend: 'docker', program, home, image: 'debian', network: true, directory: '/', persistent: true },
  ...{ volumes: [], extraArguments: [], workingDirectory: '/work/My Project', mountsWorkingDirectory: false },
});
const started = await environment.start('sleep 4567.25');
process.stdout.write(`${JSON.stringify(started.record)}\n`, () => {
  if (ending === 'leave') process.exit(0);
});
setInterval(() => undefined, 60_000);
