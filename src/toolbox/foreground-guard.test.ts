import { describe, expect, it } from 'vitest';
import { adviseBackground } from './foreground-guard.ts';

const NEVER_ENDING = [
  'npm run dev',
  'cd app && npm start',
  'PORT=3000 yarn dev',
  'npx vite',
  'python3 -m http.server 8000',
  'uvicorn app:main --reload',
  'python manage.py runserver',
  'docker compose up',
  'docker-compose -f x.yml up --build',
  'tail -f /var/log/syslog',
  'next dev | tee log',
  'tsc -p . --watch',
];
const DETACHED = [
  'sleep 5 &',
  'node server.js > log 2>&1 &',
  '(node server.js &)',
  'nohup node server.js',
  'setsid sleep 100',
  'sleep 9 & disown',
  '/usr/bin/nohup make',
];
const FINE = [
  'make && make test',
  'make 2>&1 | tail -5',
  'echo "run it with & or nohup npm start"',
  "grep -r 'npm run dev &' docs",
  'node server.js & sleep 1; curl -s localhost:3000; kill $!',
  'a & wait',
  'cmd &> log',
  'cmd >& log',
  'timeout 5 npm run dev',
  'npm run build',
  'npm test',
  'vite build',
  'docker compose up -d',
  'docker compose ps',
  'tail -n 5 file',
  'tail -f log | head -1',
  'uvicorn --help',
  'setsid --wait make',
  'cat <<EOF\nnpm run dev &\nEOF',
  'git commit -m "start & stop the server"',
  'curl "http://localhost/?a=1&b=2"',
  'serve() { npm run dev; }',
  '# tail -f\ntrue',
  'if true; then',
];

describe('adviseBackground', () => {
  it.each(NEVER_ENDING)('detects that %j does not exit on its own', async (command) => {
    expect(await adviseBackground(command)).toMatch(/does not exit on its own\. Nothing was run\. .*background: true/);
  });

  it.each(DETACHED)('detects that %j detaches', async (command) => {
    expect(await adviseBackground(command)).toMatch(/Nothing was run\. .*background: true/);
  });

  it.each(FINE)('allows %j', async (command) => {
    expect(await adviseBackground(command)).toBeUndefined();
  });
});
