import type { Settings } from '../../../config/index.ts';
import { type Diagnosis, diagnoseRoutes } from '../../../providers/diagnosis/index.ts';
import type { Finding } from './finding.ts';

const check = 'models';

/** The model, its fallbacks and those of auxiliary tasks; hosts are asked unless that is not wanted. */
export async function checkModels(settings: Settings, options: { offline: boolean }): Promise<Finding[]> {
  const found = await diagnoseRoutes(settings, options);
  if (found.some(({ what }) => what.startsWith('model '))) return found.map(toFinding);
  const message = 'No model is configured.';
  return [{ check, status: 'warning', message, hint: 'Run: hermes setup' }, ...found.map(toFinding)];
}

function toFinding({ what, status, message, hint }: Diagnosis): Finding {
  return { check, status, message: `${what}: ${message}`, hint };
}
