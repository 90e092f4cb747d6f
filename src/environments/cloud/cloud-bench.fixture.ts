import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../contracts/index.ts';
import { type CloudOptions, createCloudEnvironment } from './cloud.ts';
import { type DaytonaServer, startDaytonaServer } from './daytona-server.fixture.ts';
import { createExitTasks } from '../exit-tasks.ts';
import { GrpcStatus, STATUS } from './grpc-server.fixture.ts';
import { type ModalServer, startModalServer } from './modal-server.fixture.ts';

type Fault = 'unavailable' | 'quota' | undefined;

/** A local fake service, and the environments that are opened with it. */
export type CloudBench = {
  home: string;
  /** The API keys, as a user sets them. */
  variables: Record<string, string>;
  open(changes?: Partial<CloudOptions>): Promise<Environment>;
  /** For each existing container, whether it is running. */
  containers(): boolean[];
  /** The number of containers created so far. */
  made(): number;
  fail(fault: Fault): void;
  delay(until: Promise<void> | undefined): void;
  /** Simulates that all containers and their content were removed outside Hermes. */
  lose(): void;
  close(): Promise<void>;
};

const KEYS = { CONFORMANCE_API_KEY: 'secret', CONFORMANCE_TOKEN: 'wanted' };

export async function createCloudBench(backend: 'modal' | 'daytona'): Promise<CloudBench> {
  const home = mkdtempSync(join(tmpdir(), 'hermes-cloud-'));
  const service =
    backend === 'modal' ? modalService(await startModalServer()) : daytonaService(await startDaytonaServer());
  const exitTasks = createExitTasks();
  const opened = new Set<Environment>();
  return {
    ...service,
    home,
    async open(changes = {}) {
      const environment = await createCloudEnvironment({
        backend,
        image: 'debian',
        network: true,
        persistent: true,
        home,
        exitTasks,
        workingDirectory: '/work/My Project',
        variables: service.variables,
        ...changes,
      });
      opened.add(environment);
      return environment;
    },
    async close() {
      service.fail(undefined);
      for (const environment of opened) await environment.close();
      await service.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

type Service = Omit<CloudBench, 'home' | 'open'>;

function modalService({ url, state, end, close, running }: ModalServer): Service {
  // The SDK reads the URL only from the environment.
  process.env['MODAL_SERVER_URL'] = url;
  const faults = {
    unavailable: new GrpcStatus(STATUS.unavailable, 'upstream connect error'),
    quota: new GrpcStatus(STATUS.exhausted, 'Workspace spend limit exceeded'),
  };
  return {
    variables: { ...KEYS, MODAL_TOKEN_ID: 'ak-test', MODAL_TOKEN_SECRET: 'as-test' },
    containers: () => running().map(() => true),
    made: () => state.sandboxes.size,
    fail: (fault) => (state.fault = fault && faults[fault]),
    delay(until) {
      state.createDelay = until;
    },
    lose: () => [...state.sandboxes.keys()].forEach(end),
    async close() {
      delete process.env['MODAL_SERVER_URL'];
      await close();
    },
  };
}

function daytonaService({ url, state, end, close, states }: DaytonaServer): Service {
  const faults = {
    unavailable: [503, 'Service Unavailable'],
    quota: [400, 'Total CPU limit exceeded. Maximum allowed: 10'],
  } satisfies Record<string, [number, string]>;
  return {
    variables: { ...KEYS, DAYTONA_API_KEY: 'dtn_test', DAYTONA_API_URL: url },
    containers: () => states().map((one) => one === 'started'),
    made: () => state.toolboxes.size,
    fail: (fault) => (state.fault = fault && faults[fault]),
    delay(until) {
      state.createDelay = until;
    },
    lose() {
      for (const id of state.sandboxes.keys()) {
        end(id);
        state.sandboxes.delete(id);
      }
    },
    close,
  };
}
