import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { MemoryWriter, SessionReader, SkillService } from '../contracts/index.ts';
import { createToolServices } from './tool-services.ts';

verifies('SURF-11', 'memory that has nothing to write to is not there for tools', () => {
  const services = (targets: MemoryWriter['targets']) => {
    const memory = { targets } as MemoryWriter;
    return createToolServices({} as SessionReader, { memory, skills: {} as SkillService });
  };
  expect(services([])).not.toHaveProperty('memory');
  expect(services(['user'])).toHaveProperty('memory');
});
