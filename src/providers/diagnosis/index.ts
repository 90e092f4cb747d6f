export { diagnoseRoutes } from './diagnose-routes.ts';
export type { Diagnosis } from './check-endpoint.ts';
