import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { createApptainerEngine } from './apptainer-engine.ts';
import { type ContainerOptions, createContainerEnvironment } from './container.ts';
import { createFakeEngine, type FakeEngine } from './container-engine.fixture.ts';

const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 10_000 };

describe('an apptainer container', () => {
  let engine: FakeEngine;
  let home: string;
  beforeEach(() => {
    engine = createFakeEngine('apptainer');
    home = mkdtempSync(join(tmpdir(), 'hermes-instances-'));
  });
  afterEach(() => {
    engine.close();
    rmSync(home, { recursive: true, force: true });
  });
  const open = (changes: Partial<ContainerOptions> = {}) =>
    createContainerEnvironment({
      backend: 'singularity',
      program: engine.program,
      image: 'docker://debian',
      network: true,
      home,
      volumes: [],
      extraArguments: [],
      workingDirectory: '/project',
      mountsWorkingDirectory: false,
      persistent: true,
      directory: '/',
      ...changes,
    });

  verifies('TOOL-6', 'is an instance without access to this machine, and is stopped on close', async () => {
    const environment = await open();
    const [name = ''] = Object.keys(engine.containers());
    const work = join(home, 'containers/singularity', name, 'work');
    expect(engine.calls().slice(0, 2)).toEqual([
      ['instance', 'list', '--json', name],
      [
        'instance',
        'start',
        '--containall',
        '--cleanenv',
        '--no-privs',
        '--writable-tmpfs',
        '--workdir',
        work,
        'docker://debian',
        name,
      ],
    ]);
    expect(environment).toMatchObject({ name: 'singularity', location: `singularity ${name}`, isolated: true });
    expect((await environment.run('echo "[$OTHER]"', options)).output).toBe('[]\n');
    expect(engine.calls().at(-1)?.slice(0, 9)).toEqual([
      '--silent',
      'exec',
      '--cleanenv',
      '--no-privs',
      '--pwd',
      '/',
      `instance://${name}`,
      '/bin/bash',
      '-c',
    ]);
    await environment.close();
    expect(engine.calls().at(-1)).toEqual(['instance', 'stop', '--timeout', '1', name]);
    // The folder contains the home and temporary directories for the next container.
    expect(existsSync(work)).toBe(true);
  });

  it('is created as configured, and leaves no folder if it is not persistent', async () => {
    const rules = { cpu: 2, memory: 100, network: false, volumes: ['/a:/b:ro'], persistent: false };
    const environment = await open(rules);
    const [name = ''] = Object.keys(engine.containers());
    expect(engine.calls()[1]?.slice(-11)).toEqual([
      '--net',
      '--network',
      'none',
      '--cpus',
      '2',
      '--memory',
      '100m',
      '--bind',
      '/a:/b:ro',
      'docker://debian',
      name,
    ]);
    expect(environment.isolated).toBe(false);
    await environment.close();
    expect(existsSync(join(home, 'containers/singularity', name))).toBe(false);
  });

  it('is created again with its content if it was stopped', async () => {
    const environment = await open();
    const [name = ''] = Object.keys(engine.containers());
    rmSync(join(engine.folder, 'containers', name));
    expect((await environment.run('echo here', options)).output).toBe('here\n');
    await environment.close();
  });
});

it('reports an unreadable response of the engine without throwing', () => {
  const rules = { image: 'x', network: true, volumes: [], extraArguments: [], variables: [], folder: '/none' };
  const { readState } = createApptainerEngine('apptainer', rules);
  const read = (text: string) => readState({ code: 0, output: Buffer.from(text), errors: '' });
  expect([read('{"instances":[{}]}'), read('{"instances":null}'), read('oh')]).toEqual([
    'running',
    'missing',
    undefined,
  ]);
  const states = ['running', 'missing', undefined];
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => states.includes(read(text))));
});
