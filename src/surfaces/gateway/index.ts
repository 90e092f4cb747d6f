export {
  findPlatform,
  saveSetup,
  type SetupChoices,
  type SetupTokens,
  verifyTokens,
} from './setup.ts';
export { type GatewayReport, type PlatformReport, reportGateway } from './status/gateway-report.ts';
export { createPairing } from './people/pairing.ts';
export { findGatewayHooks } from './hooks/gateway-hooks.ts';
export { runJobsOnce, runNamedJob } from './jobs/run-jobs-once.ts';
export { openRuntime, runGateway } from './run-gateway.ts';
export { readAnswer } from './jobs/run-job.ts';
export { readStateFile } from './status/state-file.ts';
export { onlyPlatform, openCommandMessaging } from './sending/command-messaging.ts';
